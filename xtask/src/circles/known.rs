//! Circles of files that stay.
//!
//! The list may only shrink: a circle that is not here is a problem, and so is an entry that is larger than its circle.
//! An entry says why a cut would make the code worse to read, or what ties a circle that is not untied yet.

/// Files that import each other.
pub(super) struct Known {
    /// In the order of their names.
    pub(super) files: &'static [&'static str],
    /// The tie between them.
    pub(super) reason: &'static str,
}

pub(super) const CIRCLES: &[Known] = &[
    Known {
        files: &[
            "crates/actors/src/agent.rs",
            "crates/actors/src/context.rs",
            "crates/actors/src/limit.rs",
            "crates/actors/src/subscription.rs",
        ],
        reason: "An agent is handed its context, which changes the agent's subscriptions and limit; apart, each would \
            be a trait of the other's.",
    },
    Known {
        files: &[
            "crates/actors/src/any_agent.rs",
            "crates/actors/src/channel.rs",
            "crates/actors/src/channels.rs",
            "crates/actors/src/core.rs",
            "crates/actors/src/group_core.rs",
            "crates/actors/src/host.rs",
            "crates/actors/src/local.rs",
            "crates/actors/src/outbox.rs",
            "crates/actors/src/pool.rs",
            "crates/actors/src/sender.rs",
            "crates/actors/src/sink.rs",
            "crates/actors/src/strand.rs",
            "crates/actors/src/subscribers.rs",
        ],
        reason: "The heart: a strand runs agents, whose messages go through the strand's own state (`Local`) to other \
            strands, which the core starts and pools run. Channels belong to it because the core tells its \
            phases by one. Traits between them would cost a call per message.",
    },
    Known {
        files: &[
            "crates/formats/src/hdf5/read/array/mod.rs",
            "crates/formats/src/hdf5/read/array/virtuals.rs",
            "crates/formats/src/hdf5/read/file.rs",
        ],
        reason: "A virtual array is made of arrays of other files, each of which may be virtual.",
    },
    Known {
        files: &["crates/frame/src/pool/cell.rs", "crates/frame/src/pool/shelf.rs"],
        reason: "A cell goes home to its shelf, and a shelf is made of cells: rules 1 to 3 of `pool/mod.rs` bind \
            both.",
    },
    Known {
        files: &[
            "crates/pva/src/data/build.rs",
            "crates/pva/src/data/cache.rs",
            "crates/pva/src/data/convert.rs",
            "crates/pva/src/data/decode.rs",
            "crates/pva/src/data/dynamic.rs",
            "crates/pva/src/data/encode.rs",
            "crates/pva/src/data/field.rs",
            "crates/pva/src/data/structure.rs",
            "crates/pva/src/data/types.rs",
            "crates/pva/src/data/value.rs",
        ],
        reason: "A value is made of fields, which may be values: type, layout, reading and writing recur together.",
    },
    Known {
        files: &[
            "crates/pva/src/server/pv/handlers.rs",
            "crates/pva/src/server/pv/mailbox.rs",
            "crates/pva/src/server/pv/mod.rs",
            "crates/pva/src/server/pv/queue.rs",
            "crates/pva/src/server/pv/state.rs",
            "crates/pva/src/server/pv/view.rs",
        ],
        reason: "Queue, view and state are three sides of a monitor; the mailbox holds its updates.",
    },
    Known {
        files: &["python/src/array.rs", "python/src/frame.rs"],
        reason: "An array of numpy keeps the frame whose memory it shows, and a frame shows itself as such an array.",
    },
    Known {
        files: &["python/src/events.rs", "python/src/recording.rs", "python/src/select.rs"],
        reason: "A recording hands out events and selections, and both keep the recording alive.",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_circle_has_its_files_in_order_and_a_reason() {
        for Known { files, reason } in CIRCLES {
            assert!(files.is_sorted() && files.len() > 1, "{files:?}");
            assert!(reason.ends_with('.') && reason.len() > 20, "{files:?}: {reason}");
        }
    }
}
