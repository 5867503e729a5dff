//! Hosts and cuts of small files.

use livetime_control::config::{Pipeline, Problem, Problems, Standing, parse, parse_host, parse_hosts, save};
use livetime_engine::{NodeType, Stream};

fn nodes() -> Vec<NodeType> {
    [livetime_nodes::ALL, livetime_sim::ALL].concat()
}

/// Two edges from one output that wait, one that does not, and one back.
const TWO: &str = "\
hosts: {daq: , ana: {links: {window_frames: 10}}}
nodes:
  cam: {type: sim_detector, host: daq, params: {max_size_x: 32, max_size_y: 16}}
  roi: {type: roi, host: ana, from: cam, queue: 7, when_full: block}
  stats: {type: statistics, host: ana, from: cam, queue: 7, when_full: block}
  view: {type: roi, host: ana, from: cam}
  end: {type: 'null', host: daq, from: roi}
";

fn part(text: &str, host: &str) -> Result<Pipeline, Problems> {
    parse_host("p.yaml", text, &nodes(), &[], host)
}

fn names(pipeline: &Pipeline) -> Vec<&str> {
    pipeline.graph.nodes().iter().map(|node| &*node.name).collect()
}

fn value(pipeline: &Pipeline, node: &str, param: &str) -> String {
    let nodes = pipeline.graph.nodes();
    let node = nodes.iter().find(|decl| decl.name == node).unwrap();
    node.value(param).unwrap().to_string()
}

fn first_problem(text: &str) -> String {
    parse_hosts("p", text, &nodes(), &[]).unwrap_err().list[0].to_string()
}

#[test]
fn links_stand_in_the_place_of_edges_between_hosts() {
    let (daq, ana) = (part(TWO, "daq").unwrap(), part(TWO, "ana").unwrap());
    assert_eq!(names(&daq), ["roi-to-end", "cam", "end", "cam-to-ana", "cam-to-view"]);
    assert_eq!(names(&ana), ["cam-to-ana", "cam-to-view", "roi", "stats", "view", "roi-to-end"]);
    let edges = |pipeline: &Pipeline| -> Vec<(String, String, usize, &str)> {
        let name = |node: usize| pipeline.graph.nodes()[node].name.clone();
        let edges = pipeline.graph.edges().iter();
        edges.map(|e| (name(e.from.0), name(e.to.0), e.options.queue, e.options.when_full.name())).collect()
    };
    let edge = |from: &str, to: &str, queue, policy| (from.to_owned(), to.to_owned(), queue, policy);
    // The policy of the file stands before the link; behind it the node waits, and so does the sender.
    assert_eq!(
        edges(&daq),
        [
            edge("roi-to-end", "end", 20, "block"),
            edge("cam", "cam-to-ana", 7, "block"),
            edge("cam", "cam-to-view", 20, "drop_newest"),
        ]
    );
    assert_eq!(
        edges(&ana),
        [
            edge("cam-to-ana", "roi", 20, "block"),
            edge("cam-to-ana", "stats", 20, "block"),
            edge("cam-to-view", "view", 20, "block"),
            edge("roi", "roi-to-end", 20, "drop_newest"),
        ]
    );
}

#[test]
fn both_ends_of_a_link_agree() {
    let (daq, ana) = (part(TWO, "daq").unwrap(), part(TWO, "ana").unwrap());
    for (out, into, link) in
        [(&daq, &ana, "cam-to-ana"), (&daq, &ana, "cam-to-view"), (&ana, &daq, "roi-to-end")]
    {
        assert_eq!(value(out, link, "to"), value(into, link, "listen"));
        assert_eq!((value(out, link, "link"), value(into, link, "link")), (link.into(), link.into()));
        assert_eq!(value(out, link, "pipeline").len(), 32);
        assert_eq!(value(out, link, "pipeline"), value(into, link, "pipeline"));
    }
    let window = |pipeline, link| value(pipeline, link, "window_frames");
    assert_eq!((window(&daq, "cam-to-ana"), window(&ana, "cam-to-ana")), ("10".into(), "10".into()));
    assert_eq!(window(&daq, "roi-to-end"), "2000");
    let ports: Vec<String> =
        ["cam-to-ana", "cam-to-view"].iter().map(|link| value(&daq, link, "to")).collect();
    assert_eq!(ports, ["127.0.0.1:7440", "127.0.0.1:7441"]);
    assert_eq!(value(&ana, "roi-to-end", "to"), "127.0.0.1:7442");
}

#[test]
fn a_host_knows_the_frames_that_another_one_sends() {
    let over = parse_hosts("p", TWO, &nodes(), &[]).unwrap();
    assert!(over.cuts.iter().all(|cut| matches!(cut.stream, Stream::Array(_))), "{:?}", over.cuts);
    let cut = &over.cuts[0];
    assert_eq!((&*cut.from, &*cut.from_host, &*cut.to_host), ("cam", "daq", "ana"));
    assert_eq!((&cut.to[..], &*cut.address), (&["roi".to_owned(), "stats".into()][..], "127.0.0.1:7440"));
    // A region outside the picture is refused as in one process.
    let wrong = TWO.replace("from: roi}", "from: roi}\n  far: {type: roi, host: ana, from: view, params: {enable_x: true, min_x: 99, size_x: 9}}");
    assert!(first_problem(&wrong).starts_with("far: "), "{}", first_problem(&wrong));
}

#[test]
fn windows_stand_in_the_bound_of_each_host() {
    let bound = |daq: &str| TWO.replace("daq: ,", &format!("daq: {{memory: {daq}}},"));
    assert!(parse_hosts("p", &bound("64 MiB"), &nodes(), &[]).is_ok());
    let small = parse_hosts("p", &bound("16 KiB"), &nodes(), &[]).unwrap_err();
    assert_eq!(small.list.iter().map(Problem::code).collect::<Vec<_>>(), ["memory"]);
    let daq = part(TWO, "daq").unwrap();
    let windows = daq.plan.kept_of_run();
    assert!(windows > 22 * 512 && daq.plan.memory_bytes > windows);
    assert!(daq.plan.kept_beside() > 0, "the frames of the link back lie beside the bound");
}

#[test]
fn mistakes_are_told_with_their_names() {
    let two = |cam: &str, end: &str| {
        format!(
            "hosts: {{daq: , ana: }}\nnodes: {{cam: {{type: sim_detector, {cam}}}, end: {{type: 'null', from: cam, {end}}}}}"
        )
    };
    let hosts = |hosts: &str| two("host: daq", "host: ana").replace("daq: , ana: ", hosts);
    for (text, wanted) in [
        (two("host: daq", "host: anna"), "node `end`: unknown host `anna`; did you mean `ana`?"),
        (two("host: daq", "queue: 3"), "node `end`: wanted the key `host`, one of daq, ana, found none"),
        (two("host: daq", "host: daq"), "wanted a node on host `ana`, found none"),
        (
            two("host: daq", "host: ana, placement: inline"),
            "node `end`: wanted an inline node on the host of its sender, found another host",
        ),
        (
            two("host: daq, placement: {group: g}", "host: ana, placement: {group: g}"),
            "node `end`: wanted all nodes of group `g` on one host, found two",
        ),
        (hosts("daq: , ana: {adress: 'a:1'}"), "unknown key `adress` in host `ana`; did you mean `address`?"),
        (
            hosts("daq: , ana: {address: ana01}"),
            "`address`: wanted host:port, as `ana01:7440`, found `ana01`",
        ),
        (
            hosts("daq: , ana: {address: 'ana01:7440'}"),
            "`address`: wanted an address of loopback, `links: {keys: FOLDER}` with an address zmq://host:port, or `beyond_loopback: true` for a network that is trusted, found `ana01:7440`",
        ),
        (
            hosts("daq: , ana: {links: {window_frame: 3}}"),
            "unknown key `window_frame` in `links` of host `ana`; did you mean `window_frames`?",
        ),
        (hosts("daq: , ana: {links: {to: 'b:1'}}"), "unknown key `to` in `links` of host `ana`"),
        (hosts("daq: , all: "), "wanted a name of a host, found `all`, which means every host"),
        (
            "hosts: {}\nnodes: {cam: {type: sim_detector}}".into(),
            "`hosts`: wanted at least one host, found none",
        ),
        (
            "nodes: {cam: {type: sim_detector, host: a}}".into(),
            "wanted the key `hosts` in the file, found none",
        ),
        (
            format!("{}\n", TWO.replace("daq: ,", "daq: {address: '127.0.0.1:7440'},")),
            "wanted one host at an address, found 127.0.0.1:7440 for `ana` and `daq`",
        ),
    ] {
        let found = first_problem(&text);
        assert!(found.starts_with(wanted), "{text}: {found}");
    }
    let unknown = part(TWO, "anna").unwrap_err();
    assert_eq!(unknown.list[0].to_string(), "--host anna: unknown host `anna`; did you mean `ana`?");
    // A file with hosts is judged as strictly where all nodes are in one process.
    assert!(parse("p", &two("host: daq", "host: anna"), &nodes(), &[]).is_err());
}

#[test]
fn a_link_may_be_set_from_the_command_line() {
    let settings = ["cam-to-ana.window_frames=5".parse().unwrap(), "cam.gain=2".parse().unwrap()];
    let [daq, ana] = ["daq", "ana"].map(|host| parse_host("p", TWO, &nodes(), &settings, host).unwrap());
    assert_eq!(
        (value(&daq, "cam-to-ana", "window_frames"), value(&daq, "cam", "gain")),
        ("5".into(), "2".into())
    );
    assert_eq!(value(&ana, "cam-to-ana", "window_frames"), "5");
    let typo = ["cam-to-anna.window_frames=5".parse().unwrap()];
    assert!(parse_host("p", TWO, &nodes(), &typo, "daq").is_err());
}

#[test]
fn the_hash_is_of_the_meaning() {
    let hash = |text: &str| parse_hosts("p", text, &nodes(), &[]).unwrap().hash;
    let commented = format!("# Two hosts.\n{}", TWO.replace("queue: 7", "queue:   7"));
    assert_eq!(hash(TWO), hash(&commented));
    assert_ne!(hash(TWO), hash(&TWO.replace("queue: 7", "queue: 8")));
}

#[test]
fn a_saved_file_has_all_hosts() {
    let daq = part(TWO, "daq").unwrap();
    let mut now = vec![Standing::default(); daq.graph.nodes().len()];
    now[1].values = vec![("gain", 2.0.into())];
    let saved = save(&daq.graph, &now);
    assert_eq!(saved.problem, None);
    assert_eq!(saved.text, TWO.replace("{max_size_x", "{gain: 2, max_size_x"));
    // A link stands nowhere in the file: what has changed there is said.
    now[3].values = vec![("window_frames", 5.into())];
    let saved = save(&daq.graph, &now);
    assert!(
        saved.notes.iter().any(|note| note.starts_with("cam-to-ana.window_frames = 5 is not in")),
        "{:?}",
        saved.notes
    );
    assert_eq!(saved.problem, None);
}

#[test]
fn one_host_needs_no_link() {
    let text = "hosts: {daq: }\nnodes: {cam: {type: sim_detector}, end: {type: 'null', from: cam}}";
    assert_eq!(names(&part(text, "daq").unwrap()), ["cam", "end"]);
}
