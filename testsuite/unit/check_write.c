#include <config.h>

#include "cli/write.h"

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "testsuite/unit/suite.h"

static char *folder;

/* Each test has an empty folder of its own, and is in it. */
static void setup(void)
{
    const char *tmp = getenv("TMPDIR");
    struct strbuf path = STRBUF_INIT;
    strbuf_printf(&path, "%s/check_write.XXXXXX", tmp ? tmp : "/tmp");
    folder = mkdtemp(path.text);
    ck_assert_ptr_nonnull(folder);
    ck_assert_int_eq(chdir(folder), 0);
}

static void remove_all(const char *path)
{
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        struct strbuf inside = STRBUF_INIT;
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        strbuf_printf(&inside, "%s/%s", path, entry->d_name);
        if (unlink(inside.text))
            remove_all(inside.text);
        strbuf_release(&inside);
    }
    if (dir)
        closedir(dir);
    rmdir(path);
}

static void teardown(void)
{
    ck_assert_int_eq(chdir("/"), 0);
    remove_all(folder);
    free(folder);
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    ck_assert_int_eq(fclose(f), 0);
}

static void expect(const char *path, const char *text)
{
    char buf[256] = "";
    FILE *f = fopen(path, "r");
    ck_assert_msg(f != NULL, "%s is missing", path);
    size_t n = fread(buf, 1, sizeof buf - 1, f);
    fclose(f);
    ck_assert_uint_eq(n, strlen(text));
    ck_assert_str_eq(buf, text);
}

static size_t entries(void)
{
    size_t res = 0;
    DIR *dir = opendir(".");
    while (readdir(dir))
        ++res;
    closedir(dir);
    return res - 2;
}

static bool do_write(struct write_job job, const char *text)
{
    struct diag diag = DIAG_INIT;
    job.text = text;
    job.len = strlen(text);
    bool res = write_file(&job, &diag);
    ck_assert_int_eq(res, diag.errors == 0);
    if (!res)
        ck_assert_ptr_nonnull(strstr(diag.text.text, job.path));
    diag_release(&diag);
    return res;
}

START_TEST(new_file)
{
    mode_t mask = umask(027);
    ck_assert(do_write((struct write_job){.path = "a"}, "text"));
    umask(mask);
    struct stat st;
    ck_assert_int_eq(stat("a", &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0640);
    expect("a", "text");
    ck_assert_uint_eq(entries(), 1);
}
END_TEST

START_TEST(mode_is_kept)
{
    struct stat st;
    put("a", "old");
    chmod("a", 0751);
    ck_assert(do_write((struct write_job){.path = "a"}, "new"));
    ck_assert_int_eq(stat("a", &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0751);
    expect("a", "new");
}
END_TEST

/* Of user.note as this folder's file system keeps it; not all do. */
static bool has_note(const char *path)
{
    char text[8] = "";
    return getxattr(path, "user.note", text, sizeof text) == 2 && !memcmp(text, "ok", 2);
}

START_TEST(attributes_are_kept)
{
    struct stat st;
    struct diag diag = DIAG_INIT;
    put("a", "old");
    if (setxattr("a", "user.note", "ok", 2, 0))
        return;
    ck_assert(do_write((struct write_job){.path = "a"}, "new"));
    ck_assert(has_note("a"));
    ck_assert_int_eq(stat("a", &st), 0);
    struct write_job job = {.path = "a", .text = "moved", .len = 5, .as_read = &st};
    ck_assert(write_renamed(&job, "b", &diag));
    ck_assert(has_note("b"));
    expect("b", "moved");
    diag_release(&diag);
}
END_TEST

START_TEST(links_are_followed)
{
    char link[16] = "";
    ck_assert_int_eq(mkdir("d", 0777), 0);
    put("d/real", "old");
    ck_assert_int_eq(symlink("real", "d/near"), 0);
    ck_assert_int_eq(symlink("d/near", "far"), 0);
    ck_assert(do_write((struct write_job){.path = "far", .suffix = "~"}, "new"));
    ck_assert_int_eq(readlink("far", link, sizeof link), 6);
    ck_assert_int_eq(readlink("d/near", link, sizeof link), 4);
    expect("d/real", "new");
    expect("d/real~", "old");

    ck_assert_int_eq(symlink("d/later", "dangling"), 0);
    ck_assert(do_write((struct write_job){.path = "dangling"}, "born"));
    expect("d/later", "born");

    ck_assert_int_eq(symlink("round", "round"), 0);
    ck_assert(!do_write((struct write_job){.path = "round"}, "x"));
}
END_TEST

START_TEST(backup)
{
    struct stat old, kept;
    put("a", "old");
    stat("a", &old);
    put("a.orig", "older");
    ck_assert(!do_write((struct write_job){.path = "a", .suffix = ".orig"}, "new"));
    expect("a", "old");
    expect("a.orig", "older");
    unlink("a.orig");
    ck_assert(do_write((struct write_job){.path = "a", .suffix = ".orig"}, "new"));
    expect("a", "new");
    expect("a.orig", "old");
    ck_assert_int_eq(stat("a.orig", &kept), 0);
    ck_assert(old.st_ino == kept.st_ino);
    ck_assert_uint_eq(entries(), 2);
    /* Again, where the backup is a link to the file itself. */
    unlink("a.orig");
    ck_assert_int_eq(link("a", "a.orig"), 0);
    ck_assert(do_write((struct write_job){.path = "a", .suffix = ".orig"}, "newer"));
    expect("a", "newer");
    expect("a.orig", "new");
    ck_assert_uint_eq(entries(), 2);
}
END_TEST

START_TEST(backup_that_cannot_be)
{
    put("a", "old");
    ck_assert_int_eq(mkdir("a.d", 0777), 0);
    struct write_job job = {.path = "a", .suffix = ".d", .text = "new", .len = 3};
    struct diag diag = DIAG_INIT;
    ck_assert(!write_file(&job, &diag));
    diag_release(&diag);
    expect("a", "old");
    ck_assert_uint_eq(entries(), 2);
}
END_TEST

START_TEST(long_names)
{
    char name[NAME_MAX + 2];
    memset(name, 'n', sizeof name);
    name[NAME_MAX] = '\0';
    ck_assert(do_write((struct write_job){.path = name}, "text"));
    expect(name, "text");
    name[NAME_MAX] = 'n';
    name[NAME_MAX + 1] = '\0';
    ck_assert(!do_write((struct write_job){.path = name}, "text"));
    ck_assert_uint_eq(entries(), 1);
}
END_TEST

START_TEST(folders)
{
    ck_assert(!do_write((struct write_job){.path = "x/y/z"}, "text"));
    ck_assert_uint_eq(entries(), 0);
    ck_assert(do_write((struct write_job){.path = "x/y/z", .make_folders = true}, "text"));
    expect("x/y/z", "text");
    ck_assert(!do_write((struct write_job){.path = "x/y"}, "text"));
    ck_assert(!do_write((struct write_job){.path = "x/y/z/w", .make_folders = true}, "text"));
    ck_assert(!do_write((struct write_job){.path = "new/"}, "text"));
    expect("x/y/z", "text");
}
END_TEST

static bool refuse(const struct stat *st, void *context)
{
    return st->st_ino == *(const ino_t *)context;
}

START_TEST(inputs_are_refused)
{
    struct stat st;
    put("a", "old");
    stat("a", &st);
    ino_t input = st.st_ino;
    ck_assert_int_eq(link("a", "hard"), 0);
    ck_assert_int_eq(symlink("a", "soft"), 0);
    static const char *const names[] = {"a", "hard", "soft", "./a"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        ck_assert(!do_write(
            (struct write_job){.path = names[i], .is_input = refuse, .context = &input}, "new"));
        expect("a", "old");
    }
    /* In place, the file itself may be written, but no other input as its backup. */
    put("b", "b");
    struct stat b;
    stat("b", &b);
    struct diag diag = DIAG_INIT;
    struct write_job job = {.path = "b",
                            .text = "new",
                            .len = 3,
                            .suffix = "~",
                            .as_read = &b,
                            .is_input = refuse,
                            .context = &input};
    ck_assert_int_eq(rename("hard", "b~"), 0);
    ck_assert(!write_file(&job, &diag));
    expect("b", "b");
    expect("b~", "old");
    job.suffix = "!";
    ck_assert(write_file(&job, &diag));
    expect("b", "new");
    diag_release(&diag);
}
END_TEST

START_TEST(changed_meanwhile)
{
    struct stat st;
    put("a", "old");
    stat("a", &st);
    put("a", "newer");
    ck_assert(!do_write((struct write_job){.path = "a", .as_read = &st}, "new"));
    expect("a", "newer");
    ck_assert_uint_eq(entries(), 1);
}
END_TEST

START_TEST(devices)
{
    ck_assert(do_write((struct write_job){.path = "/dev/null"}, "text"));
    ck_assert(!do_write((struct write_job){.path = "/dev/full"}, "text"));
    struct stat st;
    ck_assert_int_eq(stat("/dev/null", &st), 0);
    ck_assert(S_ISCHR(st.st_mode));
}
END_TEST

START_TEST(same)
{
    put("a", "text");
    ck_assert(write_is_same("a", "text", 4));
    ck_assert(!write_is_same("a", "tex", 3));
    ck_assert(!write_is_same("a", "texT", 4));
    ck_assert(!write_is_same("a", "text!", 5));
    ck_assert(!write_is_same("b", "", 0));
    ck_assert(!write_is_same(".", "", 0));
    put("a", "");
    ck_assert(write_is_same("a", "", 0));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("write");
    TCase *tcase = tcase_create("write");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, new_file);
    tcase_add_test(tcase, mode_is_kept);
    tcase_add_test(tcase, attributes_are_kept);
    tcase_add_test(tcase, links_are_followed);
    tcase_add_test(tcase, backup);
    tcase_add_test(tcase, backup_that_cannot_be);
    tcase_add_test(tcase, long_names);
    tcase_add_test(tcase, folders);
    tcase_add_test(tcase, inputs_are_refused);
    tcase_add_test(tcase, changed_meanwhile);
    tcase_add_test(tcase, devices);
    tcase_add_test(tcase, same);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
