//! Channels of servers in the network.
