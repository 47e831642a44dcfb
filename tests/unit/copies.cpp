// Let ctypes call the compiled kernel's copies to shared memory.

#include "copies.hpp"

extern "C" {

bool can_copy_past_caches() { return redcoll::CAN_STREAM; }

void share_copy(char* to, const char* of, std::size_t n_bytes, bool is_past_caches) {
    redcoll::share_copy(to, of, n_bytes, is_past_caches);
}

redcoll::CopyChoice* make_choice() { return new redcoll::CopyChoice; }

void drop_choice(redcoll::CopyChoice* choice) { delete choice; }

bool begin(redcoll::CopyChoice* choice, std::size_t n_bytes) {
    choice->begin(n_bytes);
    return choice->is_past_caches();
}

bool is_timed(const redcoll::CopyChoice* choice) { return choice->is_timed(); }

// End the call as if it had taken took_ns longer, and had waited for waited_ns of this time.
void end(redcoll::CopyChoice* choice, std::int64_t took_ns, std::int64_t waited_ns) {
    choice->leave_out(-took_ns);
    choice->leave_out(waited_ns);
    choice->end();
}
}
