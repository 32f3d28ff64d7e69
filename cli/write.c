#include <config.h>

#include "cli/write.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/i18n.h"
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "cli/attributes.h"
#include "cli/read.h"

#define TEMPORARY_MARK ".hipwright-"

enum {
    RANDOM_LETTERS = 6,
    TRIES = 100,
    LINKS = 40, /* as many symbolic links in a row as Linux follows */
    /* What is left of a name in its temporary file's name. */
    NAME_PART = NAME_MAX - 1 - (int)sizeof TEMPORARY_MARK - RANDOM_LETTERS,
};

/* The temporary file of the moment, for the signal handler: the only state that is not
   passed around. Written and read by the main thread alone. */
static struct {
    volatile sig_atomic_t there;
    int folder;
    char name[NAME_MAX + 1];
} temporary;

/* Whether the last line of the terminal is a progress bar, for the signal handler. */
static volatile sig_atomic_t bar_shown;

static void on_signal(int signal)
{
    if (bar_shown)
        (void)!write(STDERR_FILENO, WRITE_ERASE_LINE, sizeof WRITE_ERASE_LINE - 1);
    if (temporary.there)
        unlinkat(temporary.folder, temporary.name, 0);
    raise(signal); /* SA_RESETHAND: this time it ends the program */
}

void write_note_bar(bool shown)
{
    bar_shown = shown;
}

void write_catch_signals(void)
{
    static const int signals[] = {SIGINT,  SIGTERM, SIGHUP,    SIGQUIT, SIGALRM,
                                  SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU};
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
    struct sigaction catch = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGXFSZ, &ignore, NULL); /* write() then fails with EFBIG */
    for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i)
        if (!sigaction(signals[i], NULL, &old) && old.sa_handler != SIG_IGN)
            sigaction(signals[i], &catch, NULL);
}

/* Writes it all; an errno or 0. */
static int write_all(int fd, const char *text, size_t len)
{
    while (len) {
        ssize_t n = write(fd, text, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        text += n;
        len -= (size_t)n;
    }
    return 0;
}

static bool complain(struct diag *diag, const char *path, int number)
{
    diag_add(diag, DIAG_ERROR, (struct diag_place){.file = path}, _("cannot be written: %s"),
             strerror(number));
    return false;
}

bool write_stdout(const char *text, size_t len, struct diag *diag)
{
    int error = write_all(STDOUT_FILENO, text, len);
    if (error)
        diag_add(diag, DIAG_ERROR, (struct diag_place){0}, _("cannot write standard output: %s"),
                 strerror(error));
    return !error;
}

/* PATH with the symbolic links at its end followed, whether or not a file is there; NULL, and
   errno set, where that does not end. The caller frees it. */
static char *follow_links(const char *path)
{
    char *res = xstrdup(path);
    for (int i = 0; i < LINKS; ++i) {
        char link[PATH_MAX];
        ssize_t len = readlink(res, link, sizeof link);
        if (len < 0)
            return res;
        if (len == (ssize_t)sizeof link)
            break;
        struct strbuf next = STRBUF_INIT;
        const char *slash = strrchr(res, '/');
        if (*link != '/' && slash)
            strbuf_add(&next, res, (size_t)(slash - res) + 1);
        strbuf_add(&next, link, (size_t)len);
        free(res);
        res = next.text;
    }
    free(res);
    errno = ELOOP;
    return NULL;
}

/* Makes the folders in which PATH lies; an errno or 0. */
static int make_folders(const char *path)
{
    char *folder = xstrdup(path);
    int res = 0;
    for (char *at = folder; !res && (at = strchr(at + 1, '/'));) {
        *at = '\0';
        if (mkdir(folder, 0777) && errno != EEXIST)
            res = errno;
        *at = '/';
    }
    free(folder);
    return res;
}

void write_make_folder(const char *path)
{
    struct strbuf text = STRBUF_INIT;
    strbuf_printf(&text, "%s/", path);
    make_folders(text.text);
    strbuf_release(&text);
}

/* Where a file lies: its folder, open, and its name in it. */
struct target {
    const char *path; /* for messages */
    int folder;
    const char *name;
    bool executable; /* if it is new */
    bool there;
    struct stat stat;        /* if it is there */
    bool derived;            /* see struct write_job */
    const struct stat *like; /* whose mode and owner a new file gets, or NULL */
    const char *like_path;   /* where that is */
};

/* Picks a name for a temporary file, makes it with ACTION (which returns a descriptor, or -1
   and errno) and registers it. */
static int temporary_make(const struct target *t, int (*action)(const struct target *t))
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    for (int i = 0; i < TRIES; ++i) {
        unsigned char random[RANDOM_LETTERS];
        char suffix[RANDOM_LETTERS + 1] = "";
        if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
            return -1;
        for (int k = 0; k < RANDOM_LETTERS; ++k)
            suffix[k] = letters[random[k] % (sizeof letters - 1)];
        snprintf(temporary.name, sizeof temporary.name, ".%.*s" TEMPORARY_MARK "%s", (int)NAME_PART,
                 t->name, suffix);
        temporary.folder = t->folder;
        atomic_signal_fence(memory_order_seq_cst); /* the handler sees the name if anything */
        temporary.there = 1;
        int res = action(t);
        if (0 <= res)
            return res;
        temporary.there = 0;
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

static void temporary_remove(void)
{
    unlinkat(temporary.folder, temporary.name, 0);
    temporary.there = 0;
}

/* An existing file's copy is nobody's business until it has that file's mode; a new file gets
   what the umask says. */
static int action_create(const struct target *t)
{
    return openat(t->folder, temporary.name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                  t->there || t->like ? 0600
                  : t->executable     ? 0777
                                      : 0666);
}

static int action_link(const struct target *t)
{
    return linkat(t->folder, t->name, t->folder, temporary.name, 0);
}

/* Gives FD the owner and mode of the old file; an errno or 0. A foreign owner or group cannot
   always be kept; then neither are the bits that lend their rights. */
static int keep_mode(int fd, const struct stat *old)
{
    mode_t mode = old->st_mode & 07777;
    struct stat now;
    if (fstat(fd, &now))
        return errno;
    if ((now.st_uid != old->st_uid || now.st_gid != old->st_gid) &&
        fchown(fd, old->st_uid, old->st_gid)) {
        mode &= (mode_t) ~(S_ISUID | S_ISGID);
        if (fchown(fd, (uid_t)-1, old->st_gid))
            mode &= (mode_t)~S_IRWXG | (mode & S_IRWXO) << 3;
    }
    return fchmod(fd, mode) ? errno : 0;
}

/* Gives FD, the file that takes the place of T's or is made like another, what is known of that
   beside its content; an errno or 0. */
static int keep_what_is_known(const struct target *t, int fd)
{
    int flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    int old = t->there ? openat(t->folder, t->name, flags) : open(t->like_path, flags);
    if (0 <= old) {
        attributes_copy(old, fd);
        close(old);
    }
    /* Comes last, since an access control list changes the mode. */
    return keep_mode(fd, t->there ? &t->stat : t->like);
}

/* Holds FD's file locked until the result is closed, so that nobody takes it for a leftover; -1
   where that is not possible. */
static int lock(int fd)
{
    int res = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (0 <= res)
        while (flock(res, LOCK_EX) && errno == EINTR)
            continue;
    return res;
}

/* Makes a temporary file and locks it; -1, and errno set, where that fails. Until it is locked
   another run may take it for a leftover. */
static int temporary_open(const struct target *t, int *locked)
{
    for (int i = 0; i < TRIES; ++i) {
        struct stat st;
        int res = temporary_make(t, action_create);
        if (res < 0)
            return -1;
        *locked = lock(res);
        if (fstat(res, &st) || st.st_nlink)
            return res;
        temporary.there = 0;
        close(res);
        if (0 <= *locked)
            close(*locked);
    }
    errno = EAGAIN;
    return -1;
}

/* Puts TEXT into a file NAME in T's folder by way of a temporary file; an errno or 0. */
static int replace(const struct target *t, const char *name, const char *text, size_t len)
{
    int locked = -1, fd = temporary_open(t, &locked);
    if (fd < 0)
        return errno;
    int error = write_all(fd, text, len);
    if (!error && (t->there || t->like))
        error = keep_what_is_known(t, fd);
    if (!error && !t->derived && fsync(fd) && errno != EINVAL && errno != ENOTSUP)
        error = errno;
    if (close(fd) && !error)
        error = errno;
    if (!error && renameat(t->folder, temporary.name, t->folder, name))
        error = errno;
    if (error)
        temporary_remove();
    temporary.there = 0;
    if (0 <= locked)
        close(locked);
    if (!error && !t->derived)
        fsync(t->folder); /* the rename happened; where folders cannot be synced, so be it */
    return error;
}

/* Copies the old file to NAME, for file systems without hard links; an errno or 0. */
static int backup_copy(const struct target *t, const char *name)
{
    int fd = openat(t->folder, t->name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    struct strbuf text = STRBUF_INIT;
    int error = 0;
    for (;;) {
        enum { PIECE = 1 << 16 };
        strbuf_reserve(&text, PIECE);
        ssize_t n = read(fd, text.text + text.len, PIECE);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            error = n < 0 ? errno : 0;
            break;
        }
        text.len += (size_t)n;
    }
    close(fd);
    if (!error)
        error = replace(t, name, text.text, text.len);
    strbuf_release(&text);
    return error;
}

/* Keeps the old file under its name with SUFFIX. Since the new text comes in a new file, a
   second link to the old one is all it takes, and keeps everything about it. */
static bool backup(const struct target *t, const struct write_job *job, struct diag *diag)
{
    struct strbuf name = STRBUF_INIT, shown = STRBUF_INIT;
    struct stat st;
    int error = 0;
    strbuf_printf(&name, "%s%s", t->name, job->suffix);
    strbuf_printf(&shown, "%s%s", job->path, job->suffix);
    bool there = !fstatat(t->folder, name.text, &st, AT_SYMLINK_NOFOLLOW);
    if (there && st.st_dev == t->stat.st_dev && st.st_ino == t->stat.st_ino)
        there = false; /* a link to the file: the copy asked for */
    else if (there && job->is_input && job->is_input(&st, job->context)) {
        diag_add(diag, DIAG_ERROR, (struct diag_place){.file = job->path},
                 _("its backup would overwrite '%s', which is an input too"), shown.text);
        error = -1;
    } else if (there) {
        /* It may hold the only copy of the CUDA source: a second run must not replace that by the
           first one's result. */
        diag_add(diag, DIAG_ERROR, (struct diag_place){.file = job->path},
                 _("its backup '%s' is there already; nothing was written"), shown.text);
        error = -1;
    } else if (temporary_make(t, action_link) < 0) {
        error = backup_copy(t, name.text);
    } else if (renameat(t->folder, temporary.name, t->folder, name.text)) {
        error = errno;
        temporary_remove();
    } else {
        temporary.there = 0;
    }
    if (0 < error)
        complain(diag, shown.text, error);
    strbuf_release(&name);
    strbuf_release(&shown);
    return !error;
}

/* Writes to what is no regular file: there is nothing to keep whole. */
static bool write_device(const struct write_job *job, struct diag *diag)
{
    int fd = open(job->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    int error = fd < 0 ? errno : write_all(fd, job->text, job->len);
    if (0 <= fd && close(fd) && !error)
        error = errno;
    return !error || complain(diag, job->path, error);
}

static bool write_target(const struct target *t, const struct write_job *job, struct diag *diag)
{
    if (t->there && job->as_read) {
        if (!read_unchanged(job->as_read, &t->stat)) {
            diag_add(diag, DIAG_ERROR, (struct diag_place){.file = job->path},
                     _("changed while it was translated, and is left alone"));
            return false;
        }
    } else if (t->there && job->is_input && job->is_input(&t->stat, job->context)) {
        diag_add(diag, DIAG_ERROR, (struct diag_place){.file = job->path},
                 _("is an input too, and is not overwritten; '--in-place' would do that"));
        return false;
    }
    if (t->there && job->suffix && !backup(t, job, diag))
        return false;
    int error = replace(t, t->name, job->text, job->len);
    return !error || complain(diag, job->path, error);
}

bool write_file(const struct write_job *job, struct diag *diag)
{
    int error = job->make_folders ? make_folders(job->path) : 0;
    if (error)
        return complain(diag, job->path, error);
    char *path = follow_links(job->path);
    if (!path)
        return complain(diag, job->path, errno);

    struct target t = {.path = job->path,
                       .folder = -1,
                       .derived = job->derived,
                       .executable = job->executable,
                       .like = job->like,
                       .like_path = job->like_path};
    bool res = false;
    t.there = !stat(path, &t.stat);
    if (t.there && S_ISDIR(t.stat.st_mode)) {
        complain(diag, job->path, EISDIR);
    } else if (t.there && !S_ISREG(t.stat.st_mode)) {
        res = write_device(job, diag);
    } else if (t.there && access(path, W_OK)) {
        /* A read-only file says that it is not to be changed, though its folder would allow
           it. */
        complain(diag, job->path, errno);
    } else {
        char *slash = strrchr(path, '/');
        t.name = slash ? slash + 1 : path;
        if (!*t.name) {
            complain(diag, job->path, ENOTDIR);
        } else if (NAME_MAX < strlen(t.name)) {
            complain(diag, job->path, ENAMETOOLONG);
        } else {
            char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
            if (!folder)
                xalloc_die();
            t.folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
            if (t.folder < 0 && errno == EACCES)
                t.folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
            free(folder);
            if (t.folder < 0)
                complain(diag, job->path, errno);
            else
                res = write_target(&t, job, diag);
        }
    }
    if (0 <= t.folder)
        close(t.folder);
    free(path);
    return res;
}

bool write_move(const char *from, const char *to, struct diag *diag)
{
    return !rename(from, to) || complain(diag, to, errno);
}

bool write_remove(const char *path, struct diag *diag)
{
    return !unlink(path) || complain(diag, path, errno);
}

bool write_is_same(const char *path, const char *text, size_t len)
{
    struct stat st;
    if (stat(path, &st) || !S_ISREG(st.st_mode) || (size_t)st.st_size != len)
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool res = true;
    char piece[1 << 14];
    size_t at = 0;
    while (res && at < len) {
        ssize_t n = read(fd, piece, sizeof piece);
        if (n < 0 && errno == EINTR)
            continue;
        res = 0 < n && (size_t)n <= len - at && !memcmp(piece, text + at, (size_t)n);
        at += res ? (size_t)n : 0;
    }
    close(fd);
    return res;
}

bool write_renamed(const struct write_job *job, const char *path, struct diag *diag)
{
    struct diag_place place = {.file = job->path};
    struct stat st;
    if (!lstat(path, &st) && !write_is_same(path, job->text, job->len)) {
        diag_add(diag, DIAG_ERROR, place, _("'%s' is there already; nothing was written"), path);
        return false;
    }
    if (stat(job->path, &st) || !read_unchanged(job->as_read, &st)) {
        diag_add(diag, DIAG_ERROR, place, _("changed while it was translated, and is left alone"));
        return false;
    }
    if (access(job->path, W_OK)) /* as write_file() has it */
        return complain(diag, job->path, errno);
    struct strbuf old = STRBUF_INIT;
    if (job->suffix) {
        strbuf_printf(&old, "%s%s", job->path, job->suffix);
        if (!lstat(old.text, &st)) {
            diag_add(diag, DIAG_ERROR, place,
                     _("its backup '%s' is there already; nothing was written"), old.text);
            strbuf_release(&old);
            return false;
        }
    }
    struct write_job new = {.path = path,
                            .text = job->text,
                            .len = job->len,
                            .like = job->as_read,
                            .like_path = job->path};
    bool res = write_is_same(path, job->text, job->len) || write_file(&new, diag);
    /* From here on the text is there twice; the next run finds that and goes on. */
    if (res && (old.text ? rename(job->path, old.text) : unlink(job->path)))
        res = complain(diag, job->path, errno);
    strbuf_release(&old);
    return res;
}

/* Whether NAME is what temporary_make() makes. */
static bool is_temporary(const char *name)
{
    size_t len = strlen(name), end = sizeof TEMPORARY_MARK - 1 + RANDOM_LETTERS;
    if (*name != '.' || len < end + 2 ||
        memcmp(name + len - end, TEMPORARY_MARK, sizeof TEMPORARY_MARK - 1) != 0)
        return false;
    for (const char *at = name + len - RANDOM_LETTERS; *at; ++at)
        if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789", *at))
            return false;
    return true;
}

/* Removes the regular file NAME of FOLDER where no program holds it locked; false where it stays.
 */
static bool remove_abandoned(int folder, const char *name)
{
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    struct stat st;
    if (fd < 0)
        return false;
    bool res = !fstat(fd, &st) && S_ISREG(st.st_mode) && !flock(fd, LOCK_EX | LOCK_NB) &&
               !unlinkat(folder, name, 0);
    close(fd);
    return res;
}

size_t write_remove_leftovers(const char *folder)
{
    DIR *dir = opendir(folder);
    size_t res = 0;
    for (const struct dirent *entry; dir && (entry = readdir(dir));)
        if (is_temporary(entry->d_name) && remove_abandoned(dirfd(dir), entry->d_name))
            ++res;
    if (dir)
        closedir(dir);
    return res;
}

bool write_log(int *fd, const char *path, const char *text, size_t len, struct diag *diag)
{
    int error = 0;
    if (*fd < 0) {
        error = make_folders(path);
        if (!error)
            *fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (*fd < 0 && !error)
            error = errno;
    }
    if (!error)
        error = write_all(*fd, text, len);
    return !error || complain(diag, path, error);
}

bool write_remove_log(const char *path, struct diag *diag)
{
    return !unlink(path) || errno == ENOENT || complain(diag, path, errno);
}
