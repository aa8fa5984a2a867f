/* Loaded into a process before libc: while the file that SLOW_SYNC names exists, a third of all syncs take 0.75 to 1.5 s longer. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int slowly(long call, int descriptor) {
  const char *sign = getenv("SLOW_SYNC");
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  unsigned drawn = now.tv_nsec / 1000;
  if (sign && drawn % 3 == 0 && access(sign, F_OK) == 0) {
    long milliseconds = 750 + drawn % 751;
    struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&pause, 0);
  }
  return syscall(call, descriptor);
}

int fsync(int descriptor) { return slowly(SYS_fsync, descriptor); }

int fdatasync(int descriptor) { return slowly(SYS_fdatasync, descriptor); }
