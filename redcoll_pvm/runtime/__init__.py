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
    |  SharedGroupStore    one node                               interface: keeps the groups
    |  RemoteGroupStore    several nodes: asks the GroupServer
        |
    GroupTable                                                    groups and tasks as memory words
        |
    TaskSet                                                       lost tasks; progress and waits

On one node, tasks read and write the group table and the contributions in shared memory. So no task
has to interrupt its computation to serve other tasks. On several nodes, task 0 is the group server.
Requests, contributions and messages then travel as MPI messages. If a task is killed, a call that
waits for this task ends with an error that names the task. The killed task stays a member of its
groups.
"""
