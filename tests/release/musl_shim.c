/* What Debian's libstdc++ and libgcc take from glibc, for tests that run the musl build beside Debian's musl. */
#include <stddef.h>
#include <stdint.h>

struct tm;
extern size_t strftime_l(char *, size_t, const char *, const struct tm *, void *);
extern long getrandom(void *, size_t, unsigned);

char __libc_single_threaded = 0;
struct { unsigned int values[4]; } __cpu_model;

int __cpu_indicator_init(void) { return 0; }

/* -1: libgcc searches by dl_iterate_phdr instead. */
int _dl_find_object(void *address, void *result) {
  (void)address;
  (void)result;
  return -1;
}

int __cxa_thread_atexit_impl(void (*destroy)(void *), void *object, void *library) {
  (void)destroy;
  (void)object;
  (void)library;
  return 0;
}

size_t __strftime_l(char *text, size_t size, const char *format, const struct tm *time, void *locale) {
  return strftime_l(text, size, format, time, locale);
}

uint32_t arc4random(void) {
  uint32_t number = 0;
  getrandom(&number, sizeof number, 0);
  return number;
}
