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
    assert_eq!(
        (&cut.to[..], &cut.addresses[..]),
        (&["roi".to_owned(), "stats".into()][..], &["127.0.0.1:7440".to_owned()][..])
    );
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
            "`address`: wanted an address of loopback, `keys: FOLDER` with an address zmq://host:port, or `beyond_loopback: true` for a network that is trusted, found `ana01:7440`",
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

/// Three workers between a source and nodes on two hosts.
const POOL: &str = "\
hosts: {daq: , workers: {count: 3, address: '127.0.1.{}:7500', links: {window_frames: 4, wait: 60 s}}, ana: }
nodes:
  cam: {type: sim_detector, host: daq, params: {max_size_x: 32, max_size_y: 16}}
  turn: {type: transform, host: workers, from: cam, queue: 7, params: {operation: rot90}}
  roi: {type: roi, host: workers, from: turn, when_full: block}
  look: {type: 'null', host: workers, from: turn}
  end: {type: 'null', host: daq, from: roi, queue: 9, every: 2}
  stats: {type: statistics, host: ana, from: roi, when_full: block}
";

#[test]
fn workers_share_the_frames_of_an_edge() {
    let over = parse_hosts("p", POOL, &nodes(), &[]).unwrap();
    let parts: Vec<&str> = over.hosts.iter().map(|host| &*host.name).collect();
    assert_eq!(parts, ["daq", "workers.1", "workers.2", "workers.3", "ana"]);
    let (daq, second) = (&over.hosts[0].pipeline, &over.hosts[2].pipeline);
    assert_eq!(
        names(daq),
        [
            "roi-back-1",
            "roi-back-2",
            "roi-back-3",
            "cam",
            "end",
            "roi-in-order",
            "cam-to-turn",
            "roi-in-order-to-stats"
        ]
    );
    assert_eq!(names(second), ["cam-to-turn", "turn", "roi", "look", "roi-back-2"]);
    assert_eq!(value(daq, "cam-to-turn", "to"), "127.0.1.1:7500, 127.0.1.2:7500, 127.0.1.3:7500");
    assert_eq!(value(second, "cam-to-turn", "listen"), "127.0.1.2:7500");
    assert_eq!(value(second, "roi-back-2", "to"), value(daq, "roi-back-2", "listen"));
    assert_eq!(value(second, "roi-back-2", "link"), value(daq, "roi-back-2", "link"));
    for (pipeline, node, param, wanted) in [
        (daq, "cam-to-turn", "window_frames", "4"),
        (second, "cam-to-turn", "window_frames", "8"),
        (second, "cam-to-turn", "when_stopped", "leave"),
        (second, "roi-back-2", "retain", "received"),
        (daq, "roi-back-3", "pool", "cam-to-turn"),
        (daq, "roi-back-3", "window_frames", "24"),
        (daq, "roi-in-order", "pool", "cam-to-turn"),
        (daq, "roi-in-order", "most_waiting", "24"),
        (daq, "roi-in-order", "wait", "60"),
    ] {
        assert_eq!(value(pipeline, node, param), wanted, "{node}.{param}");
    }
    assert_eq!(value(daq, "cam-to-turn", "pipeline"), value(second, "cam-to-turn", "pipeline"));
    // The policies of the file stand behind the order, and those of the pool's edge before it.
    let into = |node: &str| {
        let number = daq.graph.node(node).unwrap();
        let edges: Vec<_> = daq.graph.edges().iter().filter(|edge| edge.to.0 == number).collect();
        (edges.len(), edges[0].options.queue, edges[0].options.every, edges[0].options.when_full.name())
    };
    assert_eq!(into("cam-to-turn"), (1, 7, 1, "drop_newest"));
    assert_eq!(into("roi-in-order"), (3, 20, 1, "block"));
    assert_eq!(into("end"), (1, 9, 2, "drop_newest"));
    // One process has neither links nor an order.
    assert_eq!(
        names(&parse("p", POOL, &nodes(), &[]).unwrap()),
        ["cam", "turn", "roi", "look", "end", "stats"]
    );
}

#[test]
fn pools_that_cannot_be_are_refused() {
    let cases = [
        (
            POOL.replace("type: transform", "type: in_order").replace(", params: {operation: rot90}", ""),
            "node `turn`: wanted a node on host `workers` whose output for a frame depends on that frame alone",
        ),
        (
            POOL.replace("from: turn, when_full: block", "from: turn"),
            "node `roi`: wanted `when_full: block`, without `every` and `max_rate`, between nodes of a pool",
        ),
        (
            POOL.replace("type: 'null', host: workers, from: turn", "type: 'null', host: workers, from: cam"),
            "wanted frames of one output for host `workers`",
        ),
        (
            POOL.replace("look: {type: 'null'", "look: {type: npy_files, params: {path: out}")
                .replace("'null', host: workers", "npy_files, host: workers"),
            "node `look`: wanted a recorder on a host without `count`",
        ),
        (
            POOL.replace("from: cam, queue: 7, ", ""),
            "node `turn`: wanted a node with an input on host `workers`",
        ),
        (
            POOL.replace("127.0.1.{}", "127.0.1.1"),
            "`address`: wanted an address with `{}` for the number of the worker",
        ),
        (
            POOL.replace("host: daq, params", "host: ana, params").replace("127.0.1.{}", "127.0.1.{"),
            "`address`: wanted",
        ),
        (
            POOL.replace("wait: 60 s", "most_waiting: 3"),
            "unknown key `most_waiting` in `links` of host `workers`",
        ),
        (POOL.replace("count: 3", "count: 0"), "`count`: wanted a whole number, 1 to 1000"),
    ];
    for (text, wanted) in cases {
        let problems = parse_hosts("p", &text, &nodes(), &[]).unwrap_err().list;
        let found: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert!(
            found.iter().any(|found| found.starts_with(wanted)),
            "wanted {wanted}, found {found:?}\n{text}"
        );
    }
    let refused = part(POOL, "workers").unwrap_err().list[0].to_string();
    assert!(refused.contains("wanted the name of a worker, workers.1 to workers.3"), "{refused}");
    assert!(part(POOL, "workers.4").is_err());
}

#[test]
fn the_part_of_a_pool_is_saved_as_the_file() {
    for host in ["daq", "workers.2"] {
        let pipeline = part(POOL, host).unwrap();
        let now: Vec<Standing> = pipeline.graph.nodes().iter().map(|_| Standing::default()).collect();
        let saved = save(&pipeline.graph, &now);
        assert_eq!((&*saved.text, &saved.differences[..], &saved.problem), (POOL, &[][..], &None), "{host}");
    }
}

/// The pages as the part of a host knows them.
fn pages(text: &str) -> Vec<(String, Option<String>)> {
    let over = parse_hosts("p", text, &nodes(), &[]).unwrap();
    over.hosts[0].pipeline.pages.iter().map(|page| (page.name.clone(), page.page.clone())).collect()
}

const OF_TWO: &str = "\
nodes:
  cam: {type: sim_detector, host: a, params: {max_size_x: 32, max_size_y: 16}}
  view: {type: roi, host: b, from: cam}
";

#[test]
fn pages_are_at_the_machines_of_links_unless_the_file_says_it() {
    let of = |hosts: &str| pages(&format!("hosts: {hosts}\n{OF_TWO}")).into_iter().map(|(_, page)| page);
    let known = |hosts: &str| of(hosts).map(Option::unwrap_or_default).collect::<Vec<_>>();
    let safe = "beyond_loopback: true";
    assert_eq!(known("{a: , b: }"), ["", ""]);
    assert_eq!(
        known(&format!("{{a: {{page: 'x:1'}}, b: {{address: 'zmq://ana01:7440', {safe}}}}}")),
        ["x:1", "ana01:8090"]
    );
    // Two hosts of one machine cannot have one page; the file says which is where.
    assert_eq!(known("{a: {address: '127.0.0.1:7440'}, b: {address: '127.0.0.1:7450'}}"), ["", ""]);
    assert_eq!(
        known("{a: {address: '127.0.0.1:7440', page: '[::1]:8090'}, b: {address: '127.0.0.1:7450'}}"),
        ["[::1]:8090", "127.0.0.1:8090"]
    );
    let with_port = format!(
        "web: {{address: '0.0.0.0:9000'}}\nhosts: {{a: {{address: 'daq:1', {safe}}}, b: }}\n{OF_TWO}"
    );
    assert_eq!(pages(&with_port)[0].1.as_deref(), Some("daq:9000"));
    assert!(parse("p", &with_port, &nodes(), &[]).unwrap().pages.is_empty(), "one process has one page");
}

#[test]
fn each_worker_has_a_page() {
    let hosts = "{a: , b: {count: 2, page: 'daq{:02}:8090'}}";
    let text = format!("hosts: {hosts}\n{}", OF_TWO.replace("type: roi", "type: transform"));
    let page = |name: &str, page: Option<&str>| (name.to_owned(), page.map(str::to_owned));
    assert_eq!(
        pages(&text),
        [page("a", None), page("b.1", Some("daq01:8090")), page("b.2", Some("daq02:8090"))]
    );
    let of_one = first_problem(&text.replace("daq{:02}", "daq"));
    assert!(
        of_one.contains("`page`: wanted an address with `{}` for the number of the worker, as `daq{}:8090`"),
        "{of_one}"
    );
}

#[test]
fn pages_without_a_place_are_refused() {
    for (page, wanted) in [
        ("daq01", "`page`: wanted host:port, as `ana01:8090`, found `daq01`"),
        ("http://daq01:8090", "`page`: wanted host:port"),
        ("daq01:0", "`page`: wanted host:port"),
        ("user@daq01:8090", "`page`: wanted host:port"),
        ("daq01:8090/x", "`page`: wanted host:port"),
        ("däq:8090", "`page`: wanted host:port"),
    ] {
        let told = first_problem(&format!("hosts: {{a: {{page: '{page}'}}, b: }}\n{OF_TWO}"));
        assert!(told.contains(wanted), "{page}: {told}");
    }
    let told = first_problem(&format!("hosts: {{a: {{page: 'x:1'}}, b: {{page: 'x:1'}}}}\n{OF_TWO}"));
    assert!(told.contains("wanted one page at an address, found x:1 for `a` and `b`"), "{told}");
}
