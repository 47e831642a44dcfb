"""The runtime below PVM's calls: tasks that cooperate although they call different things.

::

    _task, groups, reduction, collection, messages               PVM's calls
        |
    PvmRuntime ------------------------------------------+        all parts; how a task leaves
        |                |                               |
    GroupBarrier     RootedExchange                   Mailbox     barrier, freeze; reduce, gather,
        |                |                               |        scatter; send, recv
        |                v                               |
        |            Transport                           |        seam: how contributions travel
        |            |  SharedTransport    one node      |
        |            |  MpiTransport       several nodes |
        v                                  |             v
    GroupStore                           MessageTransport         MPI messages
    |  SharedGroupStore    one node
    |  RemoteGroupStore    several nodes: asks the GroupServer    seam: where groups are kept
        |
    GroupTable                                                    groups and tasks as memory words
        |
    TaskSet                                                       who is alive; progress and waits

On one node, tasks read and write the group table and the contributions in shared memory: no call
needs the help of a task that computes. On several nodes, task 0 is the group server, and everything
else travels as MPI messages. A task that is killed ends the calls that wait for it, with an error
that names it; nothing else is recovered.
"""
