"""Groups whose members are on several nodes: by messages, where others use shared memory.

One PE keeps the table of groups and the counts of barriers (:mod:`.registrar`), helped by a
thread where MPI allows it, so that it answers while its program computes. The others ask it
(:mod:`.registry`). Contributions go straight from member to member.
"""
