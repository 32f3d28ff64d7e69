#include <config.h>

#include "cli/read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/source.h"
#include "base/xalloc.h"

enum { FIRST_ROOM = 64 * 1024 };

bool read_unchanged(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void complain(struct diag *diag, const char *name, int number)
{
    diag_add(diag, DIAG_ERROR, (struct diag_place){.file = name}, _("cannot be read: %s"),
             strerror(number));
}

static void complain_size(struct diag *diag, const char *name)
{
    diag_add(diag, DIAG_ERROR, (struct diag_place){.file = name},
             _("is too large: files of 2 GiB or more are not read"));
}

/* Reads FD to its end into *CONTENT, whose text may be NULL afterwards only if nothing was
   read; false after a message. */
static bool read_all(int fd, const char *name, struct content *content, struct diag *diag)
{
    /* One byte more than is expected, to see the end without another round. */
    size_t room = S_ISREG(content->stat.st_mode) && 0 < content->stat.st_size
                      ? (size_t)content->stat.st_size + 1
                      : FIRST_ROOM;
    content->text = xmalloc(room + SOURCE_PADDING);
    for (;;) {
        if (content->len == room) {
            room = room * 2;
            content->text = xrealloc_array(content->text, room + SOURCE_PADDING, 1);
        }
        ssize_t n = read(fd, content->text + content->len, room - content->len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            complain(diag, name, errno);
            return false;
        }
        content->len += (size_t)n;
        if (SOURCE_MAX < content->len) {
            complain_size(diag, name);
            return false;
        }
        if (n == 0)
            break;
    }
    memset(content->text + content->len, 0, SOURCE_PADDING);
    return true;
}

/* GROWS: others may append to it meanwhile. */
static bool read_open(int fd, const char *name, bool grows, struct content *content,
                      struct diag *diag)
{
    if (fstat(fd, &content->stat)) {
        complain(diag, name, errno);
        return false;
    }
    if (S_ISDIR(content->stat.st_mode)) {
        diag_add(diag, DIAG_ERROR, (struct diag_place){.file = name}, _("is a directory"));
        return false;
    }
    if (S_ISREG(content->stat.st_mode) && SOURCE_MAX < (uintmax_t)content->stat.st_size) {
        complain_size(diag, name);
        return false;
    }
    if (!read_all(fd, name, content, diag))
        return false;
    struct stat after;
    if (S_ISREG(content->stat.st_mode) && !grows &&
        (fstat(fd, &after) || !read_unchanged(&content->stat, &after))) {
        diag_add(diag, DIAG_ERROR, (struct diag_place){.file = name},
                 _("changed while it was read"));
        return false;
    }
    return true;
}

static bool read_descriptor(int fd, const char *name, bool grows, struct content *content,
                            struct diag *diag)
{
    bool res = read_open(fd, name, grows, content, diag);
    if (!res) {
        free(content->text);
        *content = (struct content){0};
    }
    return res;
}

bool read_file(const char *path, const char *name, struct content *content, struct diag *diag)
{
    *content = (struct content){0};
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : STDIN_FILENO;
    if (fd < 0) {
        complain(diag, name, errno);
        return false;
    }
    bool res = read_descriptor(fd, name, false, content, diag);
    if (path)
        close(fd);
    return res;
}

/* Opens the regular file PATH, without waiting for anybody to write into a pipe; -1 after a
   message, or, with *GONE, where nothing is there. */
static int open_regular(const char *path, bool *gone, struct diag *diag)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat st;
    *gone = fd < 0 && errno == ENOENT;
    if (*gone)
        return -1;
    if (0 <= fd && !fstat(fd, &st) && S_ISREG(st.st_mode))
        return fd;
    if (fd < 0)
        complain(diag, path, errno);
    else
        diag_add(diag, DIAG_ERROR, (struct diag_place){.file = path}, _("is no regular file"));
    if (0 <= fd)
        close(fd);
    return -1;
}

bool read_regular(const char *path, struct content *content, struct diag *diag)
{
    bool gone, res = false;
    *content = (struct content){0};
    int fd = open_regular(path, &gone, diag);
    if (gone)
        complain(diag, path, ENOENT);
    if (0 <= fd) {
        res = read_descriptor(fd, path, false, content, diag);
        close(fd);
    }
    return res;
}

bool read_log(const char *path, struct content *content, struct diag *diag)
{
    bool gone, res = false;
    *content = (struct content){0};
    int fd = open_regular(path, &gone, diag);
    if (0 <= fd) {
        res = read_descriptor(fd, path, true, content, diag);
        close(fd);
    }
    return res || gone;
}
