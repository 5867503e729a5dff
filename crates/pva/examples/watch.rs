//! Prints channels as they change: `cargo run --example watch -- NAME...`.

#![allow(clippy::print_stdout, reason = "it is what it is for")]

use std::time::Duration;

use livetime_pva::client::{Client, Error, Event};

fn main() -> Result<(), Error> {
    let client = Client::from_env()?;
    let print = |name: String| {
        let shown = name.clone();
        client.channel(&name).subscribe("", move |event| match event {
            Event::Update(update) => println!("{shown} {:?}", update.value.get("value")),
            other => println!("{shown} {other:?}"),
        })
    };
    let _monitors: Vec<_> = std::env::args().skip(1).map(print).collect::<Result<_, _>>()?;
    std::thread::sleep(Duration::MAX);
    Ok(())
}
