// The protocol of the rounds on threads, for ThreadSanitizer: the same header as in the compiled
// kernel does the loads, stores and copies; what lies in windows there lies in one array here.
//
//     rounds_race THREADS ROUNDS
//
// Every round is one of the three paths: small, sliced in everybody's arrays, chunks through
// staging. Every result is compared. Compiled with -DWITHOUT_ORDER the posts order nothing, and
// the sanitizer must say so.

#include "channel.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#if defined(WITHOUT_ORDER)
#define load_acquire load_relaxed
#define store_release store_relaxed
static std::int64_t load_relaxed(const std::int64_t* word) {
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}
static void store_relaxed(std::int64_t* word, std::int64_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
}
#else
using redcoll::load_acquire;
using redcoll::store_release;
#endif

namespace {

constexpr int SMALL = 40, LONG = 1 << 10, CHUNK = 1 << 8;

struct Slot {
    std::int64_t head[8];
    double payload[SMALL];
};

// A member's segment, and its arrays on the heap.
struct Member {
    alignas(64) Slot slots[2];
    alignas(64) double stages[2][CHUNK];
    alignas(64) double source[LONG], target[LONG];
};

struct Job {
    explicit Job(int n) : n(n), members(new Member[n]()) {}
    const int n;
    std::unique_ptr<Member[]> members;
    alignas(64) double results[2][CHUNK] = {};
    std::int64_t wrong = 0;
};

class Pe {
   public:
    Pe(Job& job, int me) : job(job), me(me) {}

    // What run() has seen wrong.
    int run(int rounds) {
        int wrong = 0;
        for (int number = 0; number < rounds; ++number) {
            if (number % 3 == 0) wrong += small(number);
            if (number % 3 == 1) wrong += direct(number);
            if (number % 3 == 2) wrong += staged(number);
        }
        return wrong;
    }

   private:
    Job& job;
    const int me;
    std::int64_t sequence = 0;
    double own[LONG], into[LONG];

    double sum(int number, int at) const {
        return job.n * (number + at) + job.n * (job.n - 1) / 2;
    }

    void post(std::int64_t word) {
        std::int64_t* head = job.members[me].slots[++sequence & 1].head;
        head[1] = word;
        store_release(head, sequence);
    }

    // Everybody's post has come; whether all say the same.
    bool await(std::int64_t word) {
        bool agrees = true;
        for (int i = 0; i < job.n; ++i) {
            const std::int64_t* head = job.members[i].slots[sequence & 1].head;
            while (load_acquire(head) < sequence) redcoll::yield_core();
            agrees &= head[1] == word;
        }
        return agrees;
    }

    int small(int number) {
        for (int at = 0; at < SMALL; ++at) own[at] = number + at + me;
        Slot& slot = job.members[me].slots[(sequence + 1) & 1];
        redcoll::share_copy(reinterpret_cast<char*>(slot.payload),
                            reinterpret_cast<const char*>(own), sizeof slot.payload);
        post(number);
        int wrong = !await(number);
        for (int at = 0; at < SMALL; ++at) {
            double result = 0;
            for (int i = 0; i < job.n; ++i)
                result += job.members[i].slots[sequence & 1].payload[at];
            wrong += result != sum(number, at);
        }
        return wrong;
    }

    int direct(int number) {
        Member& mine = job.members[me];
        for (int at = 0; at < LONG; ++at) mine.source[at] = number + at + me;
        post(number);
        int wrong = !await(number);
        for (int at = me * LONG / job.n; at < (me + 1) * LONG / job.n; ++at) {
            double result = 0;
            for (int i = 0; i < job.n; ++i) result += job.members[i].source[at];
            for (int i = 0; i < job.n; ++i) job.members[i].target[at] = result;
        }
        post(number);
        wrong += !await(number);
        for (int at = 0; at < LONG; ++at) wrong += mine.target[at] != sum(number, at);
        return wrong;
    }

    void stage(int chunk) {
        redcoll::share_copy(reinterpret_cast<char*>(job.members[me].stages[chunk & 1]),
                            reinterpret_cast<const char*>(own + chunk * CHUNK),
                            CHUNK * sizeof(double));
    }

    void copy_out(int chunk) {
        for (int at = 0; at < CHUNK; ++at) into[chunk * CHUNK + at] = job.results[chunk & 1][at];
    }

    int staged(int number) {
        for (int at = 0; at < LONG; ++at) own[at] = number + at + me;
        int wrong = 0;
        for (int chunk = 0; chunk < LONG / CHUNK; ++chunk) {
            stage(chunk);
            post(number);
            wrong += !await(number);
            for (int at = me * CHUNK / job.n; at < (me + 1) * CHUNK / job.n; ++at) {
                double result = 0;
                for (int i = 0; i < job.n; ++i) result += job.members[i].stages[chunk & 1][at];
                job.results[chunk & 1][at] = result;
            }
            if (chunk) copy_out(chunk - 1);
        }
        post(number);
        wrong += !await(number);
        copy_out(LONG / CHUNK - 1);
        for (int at = 0; at < LONG; ++at) wrong += into[at] != sum(number, at);
        return wrong;
    }
};

}  // namespace

int main(int, char** arguments) {
    const int n = std::atoi(arguments[1]), rounds = std::atoi(arguments[2]);
    Job job(n);
    std::vector<std::thread> threads;
    for (int me = 0; me < n; ++me)
        threads.emplace_back([&job, me, rounds] {
            const int wrong = std::make_unique<Pe>(job, me)->run(rounds);
            __atomic_add_fetch(&job.wrong, wrong, __ATOMIC_RELAXED);
        });
    for (std::thread& thread : threads) thread.join();
    std::printf("%d rounds, %lld wrong\n", rounds, static_cast<long long>(job.wrong));
    return job.wrong != 0;
}
