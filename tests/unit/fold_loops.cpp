// Let ctypes call the compiled kernel's folds, built here for the baseline instruction set.

#define REDCOLL_BASELINE_ONLY
#include "fold.hpp"

extern "C" {

bool has_loop(int op_code, int type_code) {
    return redcoll::find_fold(op_code, type_code) != nullptr;
}

void fold(int op_code, int type_code, const char* const* sources, int n, char* out,
          std::size_t count) {
    redcoll::find_fold(op_code, type_code)(sources, n, out, count);
}

void fold_to_many(int op_code, int type_code, const char* const* sources, int n,
                  char* const* targets, int m, std::size_t count, std::size_t itemsize) {
    redcoll::fold_to_many(redcoll::find_fold(op_code, type_code), sources, n, targets, m, count,
                          itemsize);
}

void scan(int op_code, int type_code, const char* const* sources, int n, char* const* targets,
          bool is_inclusive, std::size_t count, std::size_t itemsize) {
    redcoll::scan(redcoll::find_fold(op_code, type_code), sources, n, targets, is_inclusive, count,
                  itemsize);
}
}
