"""Implement the runtime below PVM's calls: groups, contributions and messages of tasks.

::

    _task, groups, reduction, collection, messages               PVM's calls
        |
    PvmRuntime ------------------------------------------+        all parts; how a task leaves
        |                |                               |
    GroupBarrier     RootedExchange                   Mailbox     barrier, freeze; reduce, gather,
        |                |                               |        scatter; send, recv
        |                v                               |
        |            Transport                           |        interface: moves contributions
        |            |  SharedTransport    one node      |
        |            |  MpiTransport       several nodes |
        v                                  |             v
    GroupStore                           MessageTransport         MPI messages
    |  SharedGroupStore    one node
    |  RemoteGroupStore    several nodes: asks the GroupServer    interface: keeps the groups
        |
    GroupTable                                                    groups and tasks as memory words
        |
    TaskSet                                                       lost tasks; progress and waits

On one node, tasks read and write the group table and the contributions in shared memory. So no call
has to wait for a task that computes. On several nodes, task 0 is the group server, and everything
else travels as MPI messages. If a task is killed, calls that wait for it end with an error that
names it. The killed task stays a member of its groups.
"""
