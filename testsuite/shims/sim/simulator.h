/* Test only: a wavefront of 32 or 64 lanes on the host.

   Each active lane is a coroutine.  An operation across lanes suspends the lane until all active
   lanes have come to it; then it is carried out for all of them at once.  Lanes that come to
   different operations, or end while others wait, are an error: a real wave would run them one
   after the other and give results that depend on how the compiler laid out the branches.  The
   lanes that are not active hold garbage, as the registers of a real wave do.  */
#ifndef HIPWRIGHT_SIMULATOR_H
#define HIPWRIGHT_SIMULATOR_H

#include <functional>
#include <string>

namespace sim
{
enum operation { NOTHING, BALLOT, SHUFFLE, READLANE, BARRIER };

extern int wave_size;
extern int current; /* the lane that runs */

/* Runs BODY for each lane of ACTIVE.  */
void run(unsigned long long active, const std::function<void(int)> &body);

/* For a lane: waits for the others; returns this lane's result.  */
unsigned long long together(operation what, int value, int argument);

/* Counts an error, with what was wrong, unless CONDITION.  */
void require(bool condition, const std::string &what);

/* What has been done since the last reset.  */
extern int traps, breakpoints, last_scope, nontemporal;
extern long long clocks;
extern std::string order; /* of fences and barriers, of the lane that ran last */
void reset();

void fence(int memory_order, const char *scope);
void sleep(int steps);
bool is_shared(const void *address);
bool is_private(const void *address);
extern char lds[64], scratch[64];

/* How many of the next compare-and-swaps find that another thread was faster.  */
extern int interference;

template <class T> T nontemporal_load(const T *address)
{
    nontemporal++;
    return *address;
}

template <class T> void nontemporal_store(T value, T *address)
{
    nontemporal++;
    *address = value;
}

template <class T> T atomic_load(const T *address, int, int scope)
{
    last_scope = scope;
    return *address;
}

template <class T> void atomic_store(T *address, T value, int, int scope)
{
    last_scope = scope;
    *address = value;
}

#define SIM_ATOMIC(name, expression)                                        \
    template <class T> T atomic_##name(T *address, T value, int, int scope) \
    {                                                                       \
        last_scope = scope;                                                 \
        T old = *address;                                                   \
        *address = expression;                                              \
        return old;                                                         \
    }
SIM_ATOMIC(exchange, value)
SIM_ATOMIC(min, value < old ? value : old)
SIM_ATOMIC(max, old < value ? value : old)
SIM_ATOMIC(and, old &value)
SIM_ATOMIC(or, old | value)
SIM_ATOMIC(xor, old ^ value)
#undef SIM_ATOMIC

/* Wraps around, as the hardware does.  */
template <class T> T wrapped_sum(T a, T b)
{
    return a + b;
}
inline int wrapped_sum(int a, int b)
{
    return (int)((unsigned int)a + (unsigned int)b);
}

template <class T> T atomic_add(T *address, T value, int, int scope)
{
    last_scope = scope;
    T old = *address;
    *address = wrapped_sum(old, value);
    return old;
}

template <class T>
bool atomic_compare_exchange(T *address, T *expected, T value, int, int, int scope)
{
    last_scope = scope;
    if (interference > 0) {
        interference--;
        *address = (T)(*address * 7 + 3);
    }
    if (*address == *expected) {
        *address = value;
        return true;
    }
    *expected = *address;
    return false;
}
} // namespace sim

#endif
