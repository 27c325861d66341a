// A library to preload into a process on Linux: it records what the process writes and syncs, and makes syncs slow.
//
// DISK_FILES     the beginning of the paths that it deals with.
// DISK_SYNC_MS   how many milliseconds each sync takes longer.
// DISK_RECORD    the file of records. Without it, nothing is recorded. Each record is a line, and the data of a write
//                follow its line:
//                  create PATH, write PATH OFFSET LENGTH, truncate PATH LENGTH, unlink PATH,
//                  sync PATH (begins), synced PATH, failed PATH
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *files, *record;
static long sync_ms;

__attribute__((constructor)) static void settings(void) {
  const char *ms = getenv("DISK_SYNC_MS");
  files = getenv("DISK_FILES");
  record = getenv("DISK_RECORD");
  sync_ms = ms ? atol(ms) : 0;
}

static int concerns(const char *path) {
  return files && strncmp(path, files, strlen(files)) == 0 && !strstr(path, "-shm");
}

// Whether a descriptor is of a file or directory that this library deals with. The path is written to `path`.
static int is_ours(int fd, char path[4096]) {
  char link[64];
  if (!files) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, 4095);
  if (length < 0) return 0;
  path[length] = 0;
  return concerns(path);
}

static void note(const char *line, const void *data, size_t length) {
  if (!record) return;
  size_t head = strlen(line);
  char *all = malloc(head + length + 1);
  memcpy(all, line, head);
  if (length) memcpy(all + head, data, length);
  if (length) all[head + length++] = '\n';
  int fd = syscall(SYS_openat, AT_FDCWD, record, O_WRONLY | O_APPEND | O_CREAT, 0600);
  if (fd < 0 || syscall(SYS_write, fd, all, head + length) != (long)(head + length)) abort();
  syscall(SYS_close, fd);
  free(all);
}

int open64(const char *path, int flags, ...) {
  char line[4200];
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  int is_new = flags & O_CREAT && record && concerns(path) && syscall(SYS_access, path, F_OK) != 0;
  int fd = syscall(SYS_openat, AT_FDCWD, path, flags | O_LARGEFILE, mode);
  snprintf(line, sizeof line, "create %s\n", path);
  if (is_new && fd >= 0) note(line, 0, 0);
  return fd;
}

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset) {
  char path[4096], line[4200];
  if (!record || !is_ours(fd, path)) return syscall(SYS_pwrite64, fd, data, length, offset);
  pthread_mutex_lock(&lock);
  ssize_t written = syscall(SYS_pwrite64, fd, data, length, offset);
  snprintf(line, sizeof line, "write %s %lld %zd\n", path, (long long)offset, written);
  if (written > 0) note(line, data, written);
  pthread_mutex_unlock(&lock);
  return written;
}

int ftruncate64(int fd, off64_t length) {
  char path[4096], line[4200];
  if (!record || !is_ours(fd, path)) return syscall(SYS_ftruncate, fd, length);
  pthread_mutex_lock(&lock);
  int result = syscall(SYS_ftruncate, fd, length);
  snprintf(line, sizeof line, "truncate %s %lld\n", path, (long long)length);
  if (result == 0) note(line, 0, 0);
  pthread_mutex_unlock(&lock);
  return result;
}

int unlink(const char *path) {
  char line[4200];
  if (!record || !concerns(path)) return syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  pthread_mutex_lock(&lock);
  int result = syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  snprintf(line, sizeof line, "unlink %s\n", path);
  if (result == 0) note(line, 0, 0);
  pthread_mutex_unlock(&lock);
  return result;
}

static int slowly(long number, int fd) {
  char path[4096], line[4200];
  if (!is_ours(fd, path)) return syscall(number, fd);
  snprintf(line, sizeof line, "sync %s\n", path);
  note(line, 0, 0);
  struct timespec time = {sync_ms / 1000, sync_ms % 1000 * 1000000};
  nanosleep(&time, 0);
  int result = syscall(number, fd);
  snprintf(line, sizeof line, "%s %s\n", result == 0 ? "synced" : "failed", path);
  note(line, 0, 0);
  return result;
}

int fsync(int fd) { return slowly(SYS_fsync, fd); }
int fdatasync(int fd) { return slowly(SYS_fdatasync, fd); }
