// Run the protocol of the rounds on threads under ThreadSanitizer. The loads, stores and copies
// come from the header of the compiled kernel. An array replaces the MPI windows.
//
//     rounds_race THREADS ROUNDS
//
// The rounds alternate between four paths: small vectors, slices of all members' arrays, chunks
// through staging, and rows of small reductions in which only the root waits. Every result is
// compared. Two builds have a fault that the sanitizer must find. With -DWITHOUT_ORDER the headers
// are published without memory order. With -DWITH_TOO_FEW_HEADS the headers are reused too early.

#include "copies.hpp"

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

constexpr int SMALL = 40, LONG = 1 << 11, CHUNK = 1 << 9;
// A member may be AHEAD rounds ahead, and compares headers BATCH rounds at a time. A row has
// more than AHEAD rounds, so that members reach this limit.
constexpr int AHEAD = 8, BATCH = 2, ROW = 3 * AHEAD;
#if defined(WITH_TOO_FEW_HEADS)
constexpr int HEADS = AHEAD;
#else
constexpr int HEADS = 2 * AHEAD;
#endif

struct Head {
    std::int64_t sequence, word, unused[5];
    double payload;
};

// A member's segment, and its arrays.
struct Member {
    alignas(64) Head heads[HEADS];
    alignas(64) double rooms[2][SMALL];
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

    // Run the rounds; return the number of errors.
    int run(int rounds) {
        int wrong = 0;
        for (int number = 0; number < rounds; ++number) {
            if (number % 4 == 0) wrong += small(number);
            if (number % 4 == 1) wrong += direct(number);
            if (number % 4 == 2) wrong += staged(number);
            if (number % 4 == 3) wrong += ahead(number);
        }
        return wrong;
    }

   private:
    Job& job;
    const int me;
    std::int64_t sequence = 0, settled = 0;
    double own[LONG], into[LONG];

    double sum(int number, int at) const {
        return job.n * (number + at) + job.n * (job.n - 1) / 2;
    }

    Head& head(int member, std::int64_t round) {
        return job.members[member].heads[round % HEADS];
    }

    void post(std::int64_t word) {
        Head& mine = head(me, ++sequence);
        mine.word = word;
        store_release(&mine.sequence, sequence);
    }

    // Wait until all members have published their headers of a round.
    void await_all(std::int64_t round) {
        for (int i = 0; i < job.n; ++i)
            while (load_acquire(&head(i, round).sequence) < round) redcoll::yield_core();
    }

    // Compare the headers of the rounds that have not been compared yet.
    bool settle(std::int64_t upto) {
        bool agrees = true;
        for (; settled < upto; ++settled)
            for (int i = 0; i < job.n; ++i)
                agrees &= head(i, settled + 1).word == head(me, settled + 1).word;
        return agrees;
    }

    bool await() {
        await_all(sequence);
        return settle(sequence);
    }

    // Reduce one element to each root in turn. The root waits, and a member that is AHEAD
    // rounds ahead waits as well.
    int ahead(int number) {
        int wrong = 0;
        for (int turn = 0; turn < ROW; ++turn) {
            head(me, sequence + 1).payload = number + turn + me;
            post(number + turn);
            if ((number + turn) % job.n == me) {
                await_all(sequence);
                double result = 0;
                for (int i = 0; i < job.n; ++i) result += head(i, sequence).payload;
                wrong += result != sum(number, turn);
            }
            const std::int64_t due = sequence - AHEAD + BATCH;
            if (sequence % BATCH == 0 && due > settled) {
                await_all(due);
                wrong += !settle(due);
            }
        }
        // The next round writes to memory that a slower member may still read, so wait.
        await_all(sequence);
        return wrong;
    }

    int small(int number) {
        for (int at = 0; at < SMALL; ++at) own[at] = number + at + me;
        double* room = job.members[me].rooms[(sequence + 1) & 1];
        redcoll::share_copy(reinterpret_cast<char*>(room), reinterpret_cast<const char*>(own),
                            SMALL * sizeof *room, false);
        post(number);
        int wrong = !await();
        for (int at = 0; at < SMALL; ++at) {
            double result = 0;
            for (int i = 0; i < job.n; ++i)
                result += job.members[i].rooms[sequence & 1][at];
            wrong += result != sum(number, at);
        }
        return wrong;
    }

    int direct(int number) {
        Member& mine = job.members[me];
        for (int at = 0; at < LONG; ++at) mine.source[at] = number + at + me;
        post(number);
        int wrong = !await();
        for (int at = me * LONG / job.n; at < (me + 1) * LONG / job.n; ++at) {
            double result = 0;
            for (int i = 0; i < job.n; ++i) result += job.members[i].source[at];
            for (int i = 0; i < job.n; ++i) job.members[i].target[at] = result;
        }
        post(number);
        wrong += !await();
        for (int at = 0; at < LONG; ++at) wrong += mine.target[at] != sum(number, at);
        return wrong;
    }

    void stage(int chunk) {
        redcoll::share_copy(reinterpret_cast<char*>(job.members[me].stages[chunk & 1]),
                            reinterpret_cast<const char*>(own + chunk * CHUNK),
                            CHUNK * sizeof(double), chunk & 1);
        // The sanitizer does not see the copy above, so store both ends again in plain C++.
        for (int at : {0, CHUNK - 1})
            job.members[me].stages[chunk & 1][at] = own[chunk * CHUNK + at];
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
            wrong += !await();
            for (int at = me * CHUNK / job.n; at < (me + 1) * CHUNK / job.n; ++at) {
                double result = 0;
                for (int i = 0; i < job.n; ++i) result += job.members[i].stages[chunk & 1][at];
                job.results[chunk & 1][at] = result;
            }
            if (chunk) copy_out(chunk - 1);
        }
        post(number);
        wrong += !await();
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
