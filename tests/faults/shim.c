/* Makes system calls fail, for the tests of the command. LD_PRELOAD loads this library (Linux with glibc).
 *
 * Environment variables select which calls are disturbed, and how. The tests in cli/tests/faults set these variables:
 *
 *   FAULT_CALLS  the names of the calls that are counted, separated by commas; the code below defines the names
 *   FAULT_FD     if set, only calls with this descriptor are counted; "+" means the descriptor 3 and all above
 *   FAULT_KIND   the error that a disturbed call returns, such as EIO; or "short" (the call transfers fewer bytes),
 *                "kill" (the process is killed), "shrink", "grow", "replace" or "remove" (see FAULT_FILE)
 *   FAULT_AT     the number of the first disturbed call, from 1; if 0 or missing, no call is disturbed
 *   FAULT_TIMES  the number of disturbed calls; 0 means all calls from the first; the default is 1
 *   FAULT_STEP   2 disturbs every second call, 3 every third call, and so on; the default is 1
 *   FAULT_FILE   the file that "shrink", "grow", "replace" and "remove" change before the call; "replace" renames
 *                the file "new" to it
 *   FAULT_LOG    a log with a line per counted call: its name, its descriptor or path, and "!" if it was disturbed
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static const struct {
    const char *name;
    int number;
} errors[] = {
    {"EACCES", EACCES}, {"EAGAIN", EAGAIN}, {"EINTR", EINTR},   {"EIO", EIO},     {"EMFILE", EMFILE}, {"ENOENT", ENOENT},
    {"ENOLCK", ENOLCK}, {"ENOMEM", ENOMEM}, {"ENOSPC", ENOSPC}, {"EPIPE", EPIPE}, {"ESTALE", ESTALE},
};

/* The effect on a call: an errno, or one of these values. */
enum { NOTHING = 0, SHORT = -1 };

static const char *calls, *descriptor, *kind, *file;
static long first, times = 1, step = 1;
static int records = -1;
static atomic_long count;
/* Whether `begin` has run and FAULT_CALLS is set. Calls before `begin` are neither counted nor disturbed. */
static int is_ready;

static long number(const char *name, long otherwise) {
    const char *value = getenv(name);
    return value ? atol(value) : otherwise;
}

static char *copy(const char *name) {
    const char *value = getenv(name);
    return value ? strdup(value) : NULL;
}

__attribute__((constructor)) static void begin(void) {
    calls = copy("FAULT_CALLS");
    descriptor = copy("FAULT_FD");
    kind = copy("FAULT_KIND");
    file = copy("FAULT_FILE");
    first = number("FAULT_AT", 0);
    times = number("FAULT_TIMES", 1);
    step = number("FAULT_STEP", 1);
    const char *log = getenv("FAULT_LOG");
    if (log) {
        int low = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        /* The log has a high descriptor, so the descriptors of the program are the same with and without a log. */
        records = syscall(SYS_fcntl, low, F_DUPFD_CLOEXEC, 500);
        syscall(SYS_close, low);
    }
    /* Programs that the command starts must not load this library, so that their calls are not disturbed. */
    unsetenv("LD_PRELOAD");
    is_ready = calls != NULL;
}

static int is_listed(const char *name) {
    size_t length = strlen(name);
    for (const char *at = calls; (at = strstr(at, name)); at += length) {
        if ((at == calls || at[-1] == ',') && (at[length] == ',' || at[length] == 0)) return 1;
    }
    return 0;
}

static void change_file(void) {
    struct stat about;
    if (strcmp(kind, "shrink") == 0) {
        if (syscall(SYS_stat, file, &about) == 0) syscall(SYS_truncate, file, about.st_size / 2);
    } else if (strcmp(kind, "grow") == 0) {
        static const char more[] = "\n\nFrom c@d Wed Jan  7 10:00:00 1998\n\nhttp://grown.example/\n\n";
        int to = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_APPEND | O_CLOEXEC, 0);
        syscall(SYS_write, to, more, sizeof more - 1);
        syscall(SYS_close, to);
    } else if (strcmp(kind, "replace") == 0) {
        syscall(SYS_rename, "new", file);
    } else if (strcmp(kind, "remove") == 0) {
        syscall(SYS_unlink, file);
    }
}

/* Counts a call, and returns the effect on the call. Sets errno if the call must fail. Otherwise, errno keeps its
 * value. `fd` is -1 if the call has no descriptor. */
static int fault(const char *name, int fd, const char *path) {
    if (!is_ready || !is_listed(name)) return NOTHING;
    if (descriptor && !(*descriptor == '+' ? fd > 2 : fd == atoi(descriptor))) return NOTHING;
    int before = errno;
    long this = atomic_fetch_add(&count, 1) + 1;
    int is_disturbed = first > 0 && this >= first && (this - first) % step == 0 &&
                       (times == 0 || (this - first) / step < times);
    if (records >= 0) {
        char line[512], where[16];
        snprintf(where, sizeof where, "%d", fd);
        int length = snprintf(line, sizeof line, "%s %.400s%s\n", name, path ? path : where, is_disturbed ? " !" : "");
        syscall(SYS_write, records, line, length);
    }
    errno = before;
    if (!is_disturbed || !kind) return NOTHING;
    if (strcmp(kind, "short") == 0) return SHORT;
    if (strcmp(kind, "kill") == 0) syscall(SYS_kill, getpid(), SIGKILL);
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if (strcmp(kind, errors[i].name) == 0) return errno = errors[i].number;
    }
    if (file) change_file();
    errno = before;
    return NOTHING;
}

#define REAL(name) ((__typeof__(name) *)real(#name))

static void *real(const char *name) {
    return dlsym(RTLD_NEXT, name);
}

/* Calls that transfer bytes. */

ssize_t read(int fd, void *to, size_t length) {
    int what = fault("read", fd, NULL);
    if (what > 0) return -1;
    return REAL(read)(fd, to, what == SHORT && length > 1 ? 1 : length);
}

ssize_t write(int fd, const void *from, size_t length) {
    int what = fault("write", fd, NULL);
    if (what > 0) return -1;
    return REAL(write)(fd, from, what == SHORT && length > 1 ? 1 : length);
}

ssize_t pread64(int fd, void *to, size_t length, off_t at) {
    int what = fault("read", fd, NULL);
    if (what > 0) return -1;
    return REAL(pread64)(fd, to, what == SHORT && length > 1 ? 1 : length, at);
}

ssize_t readv(int fd, const struct iovec *parts, int length) {
    int what = fault("read", fd, NULL);
    if (what > 0) return -1;
    return REAL(readv)(fd, parts, what == SHORT ? 1 : length);
}

ssize_t writev(int fd, const struct iovec *parts, int length) {
    int what = fault("write", fd, NULL);
    if (what > 0) return -1;
    return REAL(writev)(fd, parts, what == SHORT ? 1 : length);
}

/* Calls for which FAULT_KIND can be any value except "short". */

#define WRAP(result, function, name, fd, path, failure, parameters, arguments)                                         \
    result function parameters {                                                                                       \
        if (fault(name, fd, path) > 0) return failure;                                                                 \
        return REAL(function) arguments;                                                                               \
    }

#define OPEN(function)                                                                                                 \
    int function(const char *path, int flags, ...) {                                                                   \
        mode_t mode = 0;                                                                                               \
        if (flags & (O_CREAT | __O_TMPFILE)) {                                                                         \
            va_list rest;                                                                                              \
            va_start(rest, flags);                                                                                     \
            mode = va_arg(rest, mode_t);                                                                               \
            va_end(rest);                                                                                              \
        }                                                                                                              \
        if (fault(flags & O_CREAT ? "create" : "open", -1, path) > 0) return -1;                                       \
        return REAL(function)(path, flags, mode);                                                                      \
    }
OPEN(open)
OPEN(open64)

WRAP(DIR *, opendir, "opendir", -1, path, NULL, (const char *path), (path))
WRAP(struct dirent64 *, readdir64, "readdir", -1, NULL, NULL, (DIR * dir), (dir))
WRAP(int, stat64, "stat", -1, path, -1, (const char *restrict path, struct stat64 *restrict to), (path, to))
WRAP(int, lstat64, "stat", -1, path, -1, (const char *restrict path, struct stat64 *restrict to), (path, to))
WRAP(int, fstat64, "stat", fd, NULL, -1, (int fd, struct stat64 *to), (fd, to))
WRAP(ssize_t, readlink, "readlink", -1, path, -1, (const char *restrict path, char *restrict to, size_t length),
     (path, to, length))
WRAP(char *, realpath, "realpath", -1, path, NULL, (const char *restrict path, char *restrict to), (path, to))
WRAP(char *, getcwd, "getcwd", -1, NULL, NULL, (char *to, size_t length), (to, length))
WRAP(off64_t, lseek64, "seek", fd, NULL, -1, (int fd, off64_t offset, int from), (fd, offset, from))
WRAP(int, fsync, "sync", fd, NULL, -1, (int fd), (fd))
WRAP(int, fdatasync, "sync", fd, NULL, -1, (int fd), (fd))
WRAP(int, ftruncate64, "truncate", fd, NULL, -1, (int fd, off64_t length), (fd, length))
WRAP(int, fchmod, "chmod", fd, NULL, -1, (int fd, mode_t mode), (fd, mode))
WRAP(int, flock, "lock", fd, NULL, -1, (int fd, int operation), (fd, operation))
WRAP(int, rename, "rename", -1, to, -1, (const char *from, const char *to), (from, to))
WRAP(int, unlink, "unlink", -1, path, -1, (const char *path), (path))
WRAP(int, poll, "poll", -1, NULL, -1, (struct pollfd * all, nfds_t length, int wait), (all, length, wait))

/* A call whose path is null is not disturbed. The Rust runtime makes this call only to test whether statx exists. */
int statx(int fd, const char *restrict path, int flags, unsigned mask, struct statx *restrict to) {
    /* The header declares that the path is never null. Without `volatile`, the compiler would remove the null check. */
    const char *volatile where = path;
    if (where && fault("stat", *path ? -1 : fd, *path ? path : NULL) > 0) return -1;
    return REAL(statx)(fd, path, flags, mask, to);
}

/* A disturbed call of close returns the error, but still closes the descriptor, as Linux does. */
int close(int fd) {
    int what = fault("close", fd, NULL);
    int result = REAL(close)(fd);
    if (what <= 0) return result;
    errno = what;
    return -1;
}

/* Of the calls of fcntl, only those that duplicate a descriptor are counted. */
#define FCNTL(function)                                                                                                \
    int function(int fd, int command, ...) {                                                                           \
        va_list rest;                                                                                                  \
        va_start(rest, command);                                                                                       \
        long argument = va_arg(rest, long);                                                                            \
        va_end(rest);                                                                                                  \
        if (command == F_DUPFD_CLOEXEC && fault("duplicate", fd, NULL) > 0) return -1;                                 \
        return REAL(function)(fd, command, argument);                                                                  \
    }
FCNTL(fcntl)
FCNTL(fcntl64)

/* pthread_create returns the error number, and does not set errno. */
int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict about, void *(*work)(void *),
                   void *restrict with) {
    int what = fault("thread", -1, NULL);
    return what > 0 ? what : REAL(pthread_create)(thread, about, work, with);
}
