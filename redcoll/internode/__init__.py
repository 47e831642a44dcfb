"""Exchange data between nodes by MPI, among node leaders and along rails.

The first member of a node is its *leader*. A round has three steps: the members of a node publish
their headers (:mod:`.rounds`), the leaders exchange headers and vectors (:mod:`.exchange`), and
each leader releases its node. The vectors that arrive are in the node's shared memory
(:mod:`.room`), where its members read them. Long vectors go along *rails*: member i of each node
exchanges slices with member i of the other nodes (:mod:`.rails`). In a short reduce, leaders other
than the root's run ahead (:mod:`.one_way`). If a wait is long, the leaders report late and lost
members to each other (:mod:`.notices`).
"""
