from redcoll.kernels._python.recorder import (
    Recorded as Recorded,
)
from redcoll.kernels._python.recorder import (
    RecordedFastPath as RecordedFastPath,
)
from redcoll.kernels._python.recorder import (
    begin as begin,
)
from redcoll.kernels._python.recorder import (
    end as end,
)
from redcoll.kernels._python.recorder import (
    moment as moment,
)
from redcoll.kernels._python.recorder import (
    note_way as note_way,
)
