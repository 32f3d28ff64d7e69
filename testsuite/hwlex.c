/* The lexer alone: prints the tokens and comments of each file, or with --quiet only scans
   them (for the benchmark). --check verifies that tokens and comments are in order, do not
   overlap, and have nothing but white space and splices between them.

   usage: hwlex [--quiet] [--check] [--files-from=LIST] [FILE]...  */
#include <config.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/source.h"
#include "base/xalloc.h"
#include "lexer/lexer.h"

static bool read_file(const char *name, char **text, size_t *len)
{
    FILE *file = strcmp(name, "-") ? fopen(name, "rb") : stdin;
    if (!file)
        return false;
    size_t room = 1 << 16, used = 0, got;
    char *res = xmalloc(room + SOURCE_PADDING);
    while ((got = fread(res + used, 1, room - used, file))) {
        used += got;
        if (used == room)
            res = xrealloc_array(res, (room *= 2) + SOURCE_PADDING, 1);
    }
    memset(res + used, 0, SOURCE_PADDING);
    if (file != stdin)
        fclose(file);
    *text = res;
    *len = used;
    return true;
}

static void print_bytes(const char *text, size_t len)
{
    for (size_t i = 0; i < len; ++i) {
        unsigned char c = (unsigned char)text[i];
        if (c == '\n')
            fputs("\\n", stdout);
        else if (c < ' ' || 0x7e < c)
            printf("\\x%02X", c);
        else
            putchar(c);
    }
}

static void print_token(const struct source *source, const struct token *token)
{
    static const char *const flag_names[] = {"line-start", "directive",    "body",   "space",
                                             "raw",        "unterminated", "spliced"};
    static const int flags[] = {TOKEN_LINE_START,   TOKEN_DIRECTIVE, TOKEN_MACRO_BODY,
                                TOKEN_SPACE_BEFORE, TOKEN_RAW,       TOKEN_UNTERMINATED,
                                TOKEN_SPLICED};
    printf("%u+%u %s", token->offset, token->length, token_kind_name(token->kind));
    if (token->kind == TOK_IDENT)
        printf(" %s", token->symbol->text);
    else if (token->length) {
        putchar(' ');
        print_bytes(source->text + token->offset, token->length);
    }
    for (size_t i = 0; i < sizeof flags / sizeof *flags; ++i)
        if (token->flags & flags[i] && flags[i] != TOKEN_SPACE_BEFORE)
            printf(" %s", flag_names[i]);
    putchar('\n');
}

/* What may stand between tokens. */
static bool is_blank(const char *text, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; ++i)
        if (!strchr(" \t\r\v\f\n\\", text[i]) || !text[i])
            return !memcmp(text, "\xef\xbb\xbf", 3) && begin == 0 && i < 3 ? is_blank(text, 3, end)
                                                                           : false;
    return true;
}

static bool check(const struct source *source, const struct tokens *tokens)
{
    size_t at = 0, c = 0;
    for (size_t t = 0; t < tokens->list.count; ++t) {
        for (; c < tokens->comments.count && tokens->comments.items[c].token <= t; ++c) {
            const struct comment *comment = &tokens->comments.items[c];
            if (comment->offset < at || !is_blank(source->text, at, comment->offset)) {
                fprintf(stderr, "%s: comment at %u\n", source->name, comment->offset);
                return false;
            }
            at = comment->offset + comment->length;
        }
        const struct token *token = &tokens->list.items[t];
        if (token->offset < at || !is_blank(source->text, at, token->offset)) {
            fprintf(stderr, "%s: token at %u\n", source->name, token->offset);
            return false;
        }
        at = token->offset + token->length;
    }
    return at == source->len;
}

int main(int argc, char **argv)
{
    bool quiet = false, checking = false, good = true;
    char *list = NULL;
    size_t list_len = 0;
    int first = 1;
    for (; first < argc && !strncmp(argv[first], "--", 2); ++first) {
        if (!strcmp(argv[first], "--quiet"))
            quiet = true;
        else if (!strcmp(argv[first], "--check"))
            checking = true;
        else if (!strncmp(argv[first], "--files-from=", 13)) {
            if (!read_file(argv[first] + 13, &list, &list_len)) {
                perror(argv[first] + 13);
                return 2;
            }
        } else {
            fprintf(stderr, "hwlex: unknown option %s\n", argv[first]);
            return 2;
        }
    }
    const char *next = list;
    for (int i = first;;) {
        const char *name;
        if (i < argc) {
            name = argv[i++];
        } else if (next && next < list + list_len) {
            name = next;
            char *end = memchr(list + (next - list), '\n', (size_t)(list + list_len - next));
            if (end)
                *end = '\0';
            next = end ? end + 1 : NULL;
        } else {
            break;
        }
        char *text;
        size_t len;
        if (!read_file(name, &text, &len)) {
            perror(name);
            good = false;
            continue;
        }
        struct source source;
        source_init(&source, name, text, len);
        struct arena arena = ARENA_INIT;
        struct symbol_table symbols;
        symbol_table_init(&symbols, &arena, lexer_on_new, NULL);
        struct tokens tokens;
        lexer_scan(&tokens, &source, &symbols);
        if (!quiet) {
            size_t c = 0;
            for (size_t t = 0; t < tokens.list.count; ++t) {
                for (; c < tokens.comments.count && tokens.comments.items[c].token <= t; ++c) {
                    const struct comment *comment = &tokens.comments.items[c];
                    printf("%u+%u comment ", comment->offset, comment->length);
                    print_bytes(source.text + comment->offset, comment->length);
                    putchar('\n');
                }
                print_token(&source, &tokens.list.items[t]);
            }
        }
        if (checking && !check(&source, &tokens))
            good = false;
        lexer_release(&tokens);
        symbol_table_release(&symbols);
        arena_release(&arena);
        source_release(&source);
    }
    free(list);
    return good ? 0 : 1;
}
