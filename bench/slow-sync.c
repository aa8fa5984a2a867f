/* Loaded into a process before libc: each sync takes 5 ms longer, as on a disk that is slow to make writes durable. */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int slowly(long call, int descriptor) {
  struct timespec five_milliseconds = {0, 5000000};
  nanosleep(&five_milliseconds, 0);
  return syscall(call, descriptor);
}

int fsync(int descriptor) { return slowly(SYS_fsync, descriptor); }

int fdatasync(int descriptor) { return slowly(SYS_fdatasync, descriptor); }
