/* A pool of threads that works through a numbered list; the results are handed over in
   order, on the calling thread, so that nothing the user sees depends on the number of
   threads. While a slow result is waited for, others are made ahead of it, until many or heavy ones
   lie ready.  */
#ifndef CLI_POOL_H
#define CLI_POOL_H

#include <stdbool.h>
#include <stddef.h>

struct pool_work {
    size_t count;
    unsigned jobs; /* threads; 0: one per processor that may be used */
    void *context;
    /* Makes result INDEX; on any thread, several at a time. */
    void *(*make)(void *context, size_t index);
    /* Takes over RESULT of INDEX; on the calling thread, in order. False: no more are made,
       except those under way, which still come to DROP. */
    bool (*finish)(void *context, size_t index, void *result);
    void (*drop)(void *result);
    size_t (*weigh)(const void *result); /* the bytes it keeps, roughly */
};

void pool_run(const struct pool_work *work);

#endif
