from redcoll.kernels._compiled.pipeline cimport Pipeline


cdef class Packed(Pipeline):
    pass
