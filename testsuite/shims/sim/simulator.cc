/* Test only: see simulator.h.  */
#include "simulator.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define SIM_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIM_ASAN 1
#endif
#endif
#ifdef SIM_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

namespace sim
{
int wave_size = 64;
int current;
int traps, breakpoints, last_scope, nontemporal, interference;
long long clocks;
std::string order;
char lds[64], scratch[64];

namespace
{
const size_t stack_size = 128 * 1024;

struct lane {
    ucontext_t context;
    std::vector<char> stack;
    operation waits_for;
    int value, argument;
    unsigned long long result;
    bool ended;
    void *fake_stack;
};

std::vector<lane> lanes(64);
ucontext_t scheduler;
void *scheduler_fake_stack;
const void *scheduler_stack;
size_t scheduler_stack_size;
const std::function<void(int)> *body_of_lanes;
unsigned long long garbage = 0x9e3779b97f4a7c15ull;

unsigned long long next_garbage()
{
    garbage = garbage * 6364136223846793005ull + 1442695040888963407ull;
    return garbage >> 16;
}

/* The sanitizer is told of each change of stacks.  */
void to_scheduler(bool for_ever)
{
    lane &from = lanes[current];
#ifdef SIM_ASAN
    __sanitizer_start_switch_fiber(for_ever ? nullptr : &from.fake_stack, scheduler_stack,
                                   scheduler_stack_size);
#else
    (void)for_ever;
#endif
    swapcontext(&from.context, &scheduler);
#ifdef SIM_ASAN
    __sanitizer_finish_switch_fiber(from.fake_stack, nullptr, nullptr);
#endif
}

void to_lane(int number)
{
    current = number;
    lane &to = lanes[number];
#ifdef SIM_ASAN
    __sanitizer_start_switch_fiber(&scheduler_fake_stack, to.stack.data(), to.stack.size());
#endif
    swapcontext(&scheduler, &to.context);
#ifdef SIM_ASAN
    __sanitizer_finish_switch_fiber(scheduler_fake_stack, nullptr, nullptr);
#endif
}

void entry()
{
#ifdef SIM_ASAN
    __sanitizer_finish_switch_fiber(nullptr, &scheduler_stack, &scheduler_stack_size);
#endif
    (*body_of_lanes)(current);
    lanes[current].ended = true;
    to_scheduler(true);
    abort();
}

void carry_out(unsigned long long active, int first)
{
    operation what = lanes[first].waits_for;
    unsigned long long votes = 0;
    for (int i = 0; i < wave_size; i++)
        if ((active >> i & 1) != 0 && lanes[i].value != 0)
            votes |= 1ull << i;
    for (int i = 0; i < wave_size; i++) {
        if ((active >> i & 1) == 0)
            continue;
        lane &self = lanes[i];
        int source = self.argument;
        switch (what) {
        case BALLOT:
            self.result = votes;
            break;
        case READLANE:
            require(source == lanes[first].argument, "readlane of one lane for all");
            require(source >= 0 && source < wave_size && (active >> source & 1) != 0,
                    "readlane of an active lane");
            self.result = (unsigned int)lanes[source & 63].value;
            break;
        case SHUFFLE:
            require(source >= 0 && source < wave_size, "a shuffle within the wave");
            self.result =
                (unsigned int)((active >> (source & 63) & 1) != 0 ? lanes[source & 63].value
                                                                  : (int)next_garbage());
            break;
        default:
            self.result = 0;
        }
    }
}

void prepare(int number, bool active)
{
    lane &self = lanes[number];
    self.ended = !active;
    self.waits_for = NOTHING;
    self.value = (int)next_garbage();
    if (!active)
        return;
    self.stack.resize(stack_size);
    getcontext(&self.context);
    self.context.uc_stack.ss_sp = self.stack.data();
    self.context.uc_stack.ss_size = self.stack.size();
    self.context.uc_link = nullptr;
    makecontext(&self.context, entry, 0);
}
} // namespace

void run(unsigned long long active, const std::function<void(int)> &body)
{
    body_of_lanes = &body;
    for (int i = 0; i < wave_size; i++)
        prepare(i, (active >> i & 1) != 0);
    for (;;) {
        int first = -1, ended = 0, running = 0;
        for (int i = 0; i < wave_size; i++) {
            if ((active >> i & 1) == 0)
                continue;
            to_lane(i);
            running++;
            ended += lanes[i].ended;
            if (first < 0)
                first = i;
            if (!lanes[i].ended && !lanes[first].ended &&
                lanes[i].waits_for != lanes[first].waits_for) {
                printf("# lanes %d and %d wait for different operations\n", first, i);
                exit(1);
            }
        }
        if (ended == running)
            return;
        if (ended != 0) {
            printf("# %d of %d lanes ended while the others wait\n", ended, running);
            exit(1);
        }
        carry_out(active, first);
    }
}

unsigned long long together(operation what, int value, int argument)
{
    lane &self = lanes[current];
    self.waits_for = what;
    self.value = value;
    self.argument = argument;
    if (what == BARRIER)
        order += "barrier ";
    to_scheduler(false);
    return self.result;
}

void reset()
{
    traps = breakpoints = last_scope = nontemporal = interference = 0;
    clocks = 0;
    order.clear();
}

void fence(int memory_order, const char *scope)
{
    order += memory_order == __ATOMIC_RELEASE ? "release-" : "acquire-";
    order += scope;
    order += " ";
}

void sleep(int steps)
{
    require(steps >= 0 && steps <= 127, "s_sleep takes 0 to 127");
    clocks += 64 * steps;
}

bool is_shared(const void *address)
{
    return (const char *)address >= lds && (const char *)address < lds + sizeof lds;
}

bool is_private(const void *address)
{
    return (const char *)address >= scratch && (const char *)address < scratch + sizeof scratch;
}
} // namespace sim
