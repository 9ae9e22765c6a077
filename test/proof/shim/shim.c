/*
 * Stands between a process and the system calls that change a folder: it notes them, lets one fail, or kills the process in its place.
 * Built by buildShim.ts and loaded by LD_PRELOAD (Linux).
 *
 * SHIM_FOLDER  the folder; calls that do not touch it pass
 * SHIM_TRACE   file for what is done there: a line `call<TAB>path<TAB>path or offset<TAB>bytes`, then the bytes that were written
 * SHIM_FAULT   `call:number:errno`, such as `pwrite:12:5`: the 12th call fails; `pwrite:12+:28`: all from there on; `any` for every call
 *              that changes something, `spill` for those on DuckDB's temporary files, which count nowhere else; an errno of 0 kills the process
 * SHIM_HIT     file that says of which path the call was that failed
 * SHIM_HOST    what the machine is called
 * SHIM_LOCKS   errno of every request for a lock; 0 grants them all without locking anything
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))real(#name))

enum call { OPEN, WRITE, PWRITE, FSYNC, FDATASYNC, RENAME, UNLINK, FTRUNCATE, MKDIR, RMDIR, LINK, SYMLINK, SPILL, CALLS };
static const char *names[CALLS] = {"open",   "write",     "pwrite", "fsync", "fdatasync", "rename",
                                   "unlink", "ftruncate", "mkdir",  "rmdir", "link",      "symlink", "spill"};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder[PATH_MAX];
static size_t folder_length;
static int trace = -1;
static int fault_call = -1; /* CALLS: any */
static long fault_number, fault_errno, seen, seen_of[CALLS];
static int fault_lasts;

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

__attribute__((constructor)) static void begin(void) {
  const char *given = getenv("SHIM_FOLDER");
  if (!given || !realpath(given, folder)) return;
  folder_length = strlen(folder);
  const char *file = getenv("SHIM_TRACE");
  if (file) trace = REAL(open)(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  char name[16], number[16];
  const char *fault = getenv("SHIM_FAULT");
  if (!fault || sscanf(fault, "%15[^:]:%15[^:]:%ld", name, number, &fault_errno) != 3) return;
  fault_number = atol(number);
  fault_lasts = strchr(number, '+') != NULL;
  for (fault_call = 0; fault_call < CALLS && strcmp(names[fault_call], name) != 0;) fault_call++;
}

/* Whether a whole path is the folder, which is synced for the names in it, or lies in it. */
static int is_inside(const char *full) {
  return strncmp(full, folder, folder_length) == 0 && (full[folder_length] == '/' || full[folder_length] == 0);
}

/* Whether a path lies in the folder, and under which name. */
static int inside(const char *path, char *full) {
  if (folder_length == 0 || !path) return 0;
  if (path[0] == '/') snprintf(full, PATH_MAX, "%s", path);
  else {
    char here[PATH_MAX];
    if (!getcwd(here, sizeof here) || snprintf(full, PATH_MAX, "%s/%s", here, path) >= PATH_MAX) return 0;
  }
  return is_inside(full);
}

static int inside_fd(int fd, char *full) {
  char link_path[64];
  if (folder_length == 0 || fd == trace) return 0;
  snprintf(link_path, sizeof link_path, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link_path, full, PATH_MAX - 1);
  if (length <= 0) return 0;
  full[length] = 0;
  return is_inside(full) && !strstr(full, " (deleted)");
}

/* What DuckDB puts aside for want of memory comes a thousand times and means nothing afterwards: it is counted for itself. */
static int is_spill(const char *path) { return strstr(path, ".duckdb.tmp") != NULL; }

/* Whether this call is the one that fails; errno is set then. Called with the lock held. */
static int fails(enum call call, int changes, const char *path) {
  if (is_spill(path)) call = SPILL;
  long number = fault_call == CALLS ? (changes ? ++seen : 0) : (call == (enum call)fault_call ? ++seen_of[call] : 0);
  if (fault_call < 0 || number == 0 || (fault_lasts ? number < fault_number : number != fault_number)) return 0;
  /* A full disk has room for a file that shrinks; DuckDB takes none for granted and ends the process where that fails. */
  if (fault_lasts && fault_errno == ENOSPC && call == FTRUNCATE) return 0;
  const char *hit = getenv("SHIM_HIT");
  int fd = hit ? REAL(open)(hit, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
  if (fd >= 0) {
    if (REAL(write)(fd, path, strlen(path)) < 0) abort();
    REAL(close)(fd);
  }
  if (fault_errno == 0) {
    kill(getpid(), SIGKILL);
    pause();
  }
  errno = (int)fault_errno;
  return 1;
}

/* Called with the lock held: what is noted stands in the order in which it was done. */
static void note(enum call call, const char *path, const char *second, const void *bytes, size_t length) {
  if (trace < 0) return;
  if (is_spill(path)) call = SPILL, length = 0, bytes = NULL;
  char head[2 * PATH_MAX + 64];
  int size = snprintf(head, sizeof head, "%s\t%s\t%s\t%zu\n", names[call], path, second, length);
  struct iovec parts[2] = {{head, (size_t)size}, {(void *)bytes, length}};
  int saved = errno;
  if (REAL(writev)(trace, parts, bytes ? 2 : 1) < 0) abort();
  errno = saved;
}

static int do_open(const char *name, const char *path, int flags, mode_t mode) {
  int (*open_it)(const char *, int, ...) = real(name);
  char full[PATH_MAX];
  if (!inside(path, full)) return open_it(path, flags, mode);
  int changes = (flags & (O_CREAT | O_TRUNC)) || (flags & O_ACCMODE) != O_RDONLY;
  pthread_mutex_lock(&lock);
  int fd = -1;
  if (!fails(OPEN, changes, full)) {
    struct stat before;
    int was = stat(full, &before) == 0;
    fd = open_it(path, flags, mode);
    if (fd >= 0 && !was) note(OPEN, full, "made", NULL, 0);
    else if (fd >= 0 && (flags & O_TRUNC) && before.st_size > 0) note(FTRUNCATE, full, "0", NULL, 0);
    else if (fd >= 0) note(OPEN, full, "", NULL, 0);
  }
  pthread_mutex_unlock(&lock);
  return fd;
}

#define OPEN_AS(name)                               \
  int name(const char *path, int flags, ...) {      \
    va_list rest;                                   \
    va_start(rest, flags);                          \
    mode_t mode = (mode_t)va_arg(rest, int);        \
    va_end(rest);                                   \
    return do_open(#name, path, flags, mode);       \
  }
OPEN_AS(open)
OPEN_AS(open64)

static void note_write(enum call call, int fd, const char *full, long at, const void *bytes, ssize_t length) {
  if (length <= 0) return;
  char offset[32];
  snprintf(offset, sizeof offset, "%ld", at < 0 ? (long)lseek(fd, 0, SEEK_CUR) - (long)length : at);
  note(call, full, offset, bytes, (size_t)length);
}

ssize_t write(int fd, const void *bytes, size_t length) {
  char full[PATH_MAX];
  if (!inside_fd(fd, full)) return REAL(write)(fd, bytes, length);
  pthread_mutex_lock(&lock);
  ssize_t done = fails(WRITE, 1, full) ? -1 : REAL(write)(fd, bytes, length);
  note_write(WRITE, fd, full, -1, bytes, done);
  pthread_mutex_unlock(&lock);
  return done;
}

static ssize_t do_pwrite(const char *name, int fd, const void *bytes, size_t length, off_t at) {
  ssize_t (*write_it)(int, const void *, size_t, off_t) = real(name);
  char full[PATH_MAX];
  if (!inside_fd(fd, full)) return write_it(fd, bytes, length, at);
  pthread_mutex_lock(&lock);
  ssize_t done = fails(PWRITE, 1, full) ? -1 : write_it(fd, bytes, length, at);
  note_write(PWRITE, fd, full, at, bytes, done);
  pthread_mutex_unlock(&lock);
  return done;
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) { return do_pwrite("pwrite", fd, bytes, length, at); }
ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t at) { return do_pwrite("pwrite64", fd, bytes, length, at); }

/* Node writes what has several parts with these; one after the other comes to the same. */
ssize_t writev(int fd, const struct iovec *parts, int count) {
  char full[PATH_MAX];
  if (!inside_fd(fd, full)) return REAL(writev)(fd, parts, count);
  ssize_t sum = 0;
  for (int i = 0; i < count; i++) {
    ssize_t done = write(fd, parts[i].iov_base, parts[i].iov_len);
    if (done < 0) return sum > 0 ? sum : done;
    sum += done;
  }
  return sum;
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t at) {
  char full[PATH_MAX];
  if (!inside_fd(fd, full)) return REAL(pwritev64)(fd, parts, count, at);
  ssize_t sum = 0;
  for (int i = 0; i < count; i++) {
    ssize_t done = pwrite64(fd, parts[i].iov_base, parts[i].iov_len, at + sum);
    if (done < 0) return sum > 0 ? sum : done;
    sum += done;
  }
  return sum;
}

static int on_fd(const char *name, enum call call, int fd) {
  int (*sync_it)(int) = real(name);
  char full[PATH_MAX];
  if (!inside_fd(fd, full)) return sync_it(fd);
  pthread_mutex_lock(&lock);
  int done = fails(call, 1, full) ? -1 : sync_it(fd);
  if (done == 0) note(call, full, "", NULL, 0);
  pthread_mutex_unlock(&lock);
  return done;
}
int fsync(int fd) { return on_fd("fsync", FSYNC, fd); }
int fdatasync(int fd) { return on_fd("fdatasync", FDATASYNC, fd); }

static int do_truncate(const char *name, int fd, off_t length) {
  int (*truncate_it)(int, off_t) = real(name);
  char full[PATH_MAX], size[32];
  if (!inside_fd(fd, full)) return truncate_it(fd, length);
  snprintf(size, sizeof size, "%ld", (long)length);
  pthread_mutex_lock(&lock);
  int done = fails(FTRUNCATE, 1, full) ? -1 : truncate_it(fd, length);
  if (done == 0) note(FTRUNCATE, full, size, NULL, 0);
  pthread_mutex_unlock(&lock);
  return done;
}
int ftruncate(int fd, off_t length) { return do_truncate("ftruncate", fd, length); }
int ftruncate64(int fd, off_t length) { return do_truncate("ftruncate64", fd, length); }

#define ON_PATH(name, call, parameters, path, arguments)        \
  int name parameters {                                         \
    char full[PATH_MAX];                                        \
    if (!inside(path, full)) return REAL(name) arguments;       \
    pthread_mutex_lock(&lock);                                  \
    int done = fails(call, 1, full) ? -1 : REAL(name) arguments;\
    if (done == 0) note(call, full, "", NULL, 0);               \
    pthread_mutex_unlock(&lock);                                \
    return done;                                                \
  }
ON_PATH(unlink, UNLINK, (const char *path), path, (path))
ON_PATH(remove, UNLINK, (const char *path), path, (path))
ON_PATH(rmdir, RMDIR, (const char *path), path, (path))
ON_PATH(mkdir, MKDIR, (const char *path, mode_t mode), path, (path, mode))

#define ON_TWO(name, call)                                                  \
  int name(const char *from, const char *to) {                              \
    char full[PATH_MAX], other[PATH_MAX];                                   \
    if (!inside(to, full)) return REAL(name)(from, to);                     \
    /* What a symbolic link says is no path of its own. */                  \
    if (call == SYMLINK || !inside(from, other)) snprintf(other, PATH_MAX, "%s", from); \
    pthread_mutex_lock(&lock);                                              \
    int done = fails(call, 1, full) ? -1 : REAL(name)(from, to);            \
    if (done == 0) note(call, other, full, NULL, 0);                        \
    pthread_mutex_unlock(&lock);                                            \
    return done;                                                            \
  }
ON_TWO(rename, RENAME)
ON_TWO(link, LINK)
ON_TWO(symlink, SYMLINK)

static int do_fcntl(const char *name, int fd, int command, void *argument) {
  int (*control)(int, int, ...) = real(name);
  const char *locks = getenv("SHIM_LOCKS");
  char full[PATH_MAX];
  if (locks && (command == F_SETLK || command == F_SETLKW) && inside_fd(fd, full)) {
    if (atoi(locks) == 0) return 0;
    errno = atoi(locks);
    return -1;
  }
  return control(fd, command, argument);
}
#define FCNTL_AS(name)                                  \
  int name(int fd, int command, ...) {                  \
    va_list rest;                                       \
    va_start(rest, command);                            \
    void *argument = va_arg(rest, void *);              \
    va_end(rest);                                       \
    return do_fcntl(#name, fd, command, argument);      \
  }
FCNTL_AS(fcntl)
FCNTL_AS(fcntl64)

/* Copies that the kernel makes would not be noted: where calls are, whoever wants one is told to write it himself. */
static int is_noted(int fd) {
  char full[PATH_MAX];
  return trace >= 0 && inside_fd(fd, full);
}

static ssize_t do_sendfile(const char *name, int to, int from, off_t *at, size_t length) {
  ssize_t (*send_it)(int, int, off_t *, size_t) = real(name);
  if (!is_noted(to)) return send_it(to, from, at, length);
  errno = EINVAL;
  return -1;
}
ssize_t sendfile(int to, int from, off_t *at, size_t length) { return do_sendfile("sendfile", to, from, at, length); }
ssize_t sendfile64(int to, int from, off_t *at, size_t length) { return do_sendfile("sendfile64", to, from, at, length); }

int ioctl(int fd, unsigned long request, ...) {
  va_list rest;
  va_start(rest, request);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  if (request != FICLONE || !is_noted(fd)) return REAL(ioctl)(fd, request, argument);
  errno = EOPNOTSUPP;
  return -1;
}

/* libuv calls copy_file_range by its number. */
long syscall(long number, ...) {
  long given[6];
  va_list rest;
  va_start(rest, number);
  for (int i = 0; i < 6; i++) given[i] = va_arg(rest, long);
  va_end(rest);
  if (number != SYS_copy_file_range || !is_noted((int)given[2]))
    return REAL(syscall)(number, given[0], given[1], given[2], given[3], given[4], given[5]);
  errno = ENOSYS;
  return -1;
}

int gethostname(char *name, size_t length) {
  const char *host = getenv("SHIM_HOST");
  if (!host) return REAL(gethostname)(name, length);
  snprintf(name, length, "%s", host);
  return 0;
}
