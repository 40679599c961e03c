//! What people read: help, completions, what the doctor finds.

use std::fs;

use crate::environment::{Environment, Output, repository};
use crate::library::Library;

#[test]
fn help_names_every_command_and_option() {
    let environment = Environment::new();
    let mut help = String::new();
    for args in [
        vec![],
        vec!["run"],
        vec!["resume"],
        vec!["grade"],
        vec!["task", "new"],
        vec!["task", "build"],
        vec!["task", "check"],
        vec!["task", "list"],
        vec!["task", "show"],
        vec!["world", "list"],
        vec!["world", "show"],
        vec!["world", "diff"],
        vec!["mcp", "serve"],
        vec!["runs"],
        vec!["show"],
        vec!["regrade"],
        vec!["receipt", "show"],
        vec!["receipt", "verify"],
        vec!["store", "stats"],
        vec!["store", "gc"],
        vec!["store", "check"],
        vec!["store", "export"],
        vec!["store", "import"],
        vec!["bundle", "pack"],
        vec!["bundle", "inspect"],
        vec!["bundle", "verify"],
        vec!["bundle", "diff"],
        vec!["bundle", "push"],
        vec!["bundle", "pull"],
        vec!["doctor"],
        vec!["completions"],
    ] {
        let mut command = environment.command(args.iter().chain(&["--help"]));
        // Help shows the values of variables, which are this machine's.
        for name in ["MCPMARK_ROOT", "MCPMARK_HOME", "MCPMARK_NO_INSTALL"] {
            command.env_remove(name);
        }
        let output = Output::of(&mut command).exits(0);
        help.push_str(&format!(
            "$ mcpmark{} --help\n{}\n",
            args.iter()
                .map(|word| format!(" {word}"))
                .collect::<String>(),
            output.stdout
        ));
    }
    insta::assert_snapshot!(help, @r#"
    $ mcpmark --help
    Evaluate LLM agents that work through MCP servers, and grade them in a sandbox

    Usage: mcpmark [OPTIONS] <COMMAND>

    Commands:
      run          Run tasks with an agent and grade what it leaves
      resume       Go on with an experiment that was stopped
      grade        Grade a directory, with a task or with any verifier
      inspect      Say what a guest component asks for and offers, without running it
      task         Work with tasks
      world        Work with worlds
      mcp          Serve a world to an MCP client
      runs         List experiments, or the attempts of one
      show         Show an attempt: what was done, what changed, what the verifier says
      report       Report an experiment: rates with intervals, costs, failures, as text or as a page
                   with charts
      compare      Compare two models task by task
      export       Write an experiment's attempts in the formats of others
      regrade      Grade again what attempts left, with the verifiers that their tasks have now
      receipt      Receipts: what was graded with what, for others to repeat
      store        Look after the store of states
      bundle       Pack tasks for others, and see what is in what they packed
      doctor       Say what is installed and what can run
      completions  Print completions for a shell
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help     Print help
      -V, --version  Print version

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]

    Exit codes:
      0    graded and all passed (or done)
      1    graded, some failed
      2    wrong usage
      3    not graded: a verifier broke
      4    invalid task, world or component
      5    the host failed
      130  interrupted; go on with `mcpmark resume`

    $ mcpmark run --help
    Run tasks with an agent and grade what it leaves

    Usage: mcpmark run [OPTIONS] [SELECTOR]...

    Arguments:
      [SELECTOR]...
              Tasks: `<service>`, `<service>/<world>`, `<service>/<world>/<task>`, or a glob [default:
              all]

    Options:
          --tier <TIER>
              Only tasks of this tier; may be repeated
              
              [possible values: L1, L2, L3]

          --tag <TAG>
              Only tasks with this tag; may be repeated

          --tasks <DIR>
              Tasks in a published layout, with a `verify.py` each; or a bundle, as `suite.tar` or
              `oci://…`

          --states <DIR>
              The states that they start from, `[SERVICE/]CATEGORY`

          --agent <AGENT>
              Who acts [default: mcpmark with a model, oracle without]

              Possible values:
              - oracle:  Plays the task's own solution
              - nop:     Does nothing
              - random:  Calls tools at random
              - mcpmark: A model that calls tools as functions
              - react:   A model that writes its calls as JSON in its text
              - replay:  Plays the calls of another attempt again (`--from`)

      -k, --attempts <N>
              Attempts of each task [default: 1]

      -j, --jobs <N>
              Attempts at the same time [default: one a core]

          --experiment <NAME>
              Name of the experiment [default: the time]

          --from <ATTEMPT>
              Play the calls of this attempt

          --config <FILE>
              Read what is to be run from a TOML file; what stands on the command line goes first

          --mcp-config <FILE>
              Put the tools of other MCP servers beside those of the world; a TOML file

          --dry-run
              Say what would run and what it may cost, and run nothing

          --json
              Print one JSON object

      -h, --help
              Print help (see a summary with '-h')

    Models:
          --model <MODEL>
              A model, `provider/name`; may be repeated

          --base-url <URL>
              Where the interface is, if not at the provider's usual place

          --api <API>
              Which of OpenAI's interfaces is asked [default: responses at OpenAI, chat elsewhere]
              
              [possible values: chat, responses]

          --reasoning-effort <EFFORT>
              How much models think [default: left to the provider]
              
              [possible values: none, minimal, low, medium, high]

          --temperature <NUMBER>
              Sampling temperature [default: left to the provider]

          --top-p <NUMBER>
              The share of probability that is sampled from [default: left to the provider]

          --max-output-tokens <N>
              Tokens of one reply [default: left to the provider]

          --sampling-seed <N>
              Give each attempt a sampling seed that follows from this number, its task and repetition

          --compact-at <N>
              Sum the conversation up when a request and its reply have this many tokens

          --retries <N>
              Times that a request is made again after an error that may pass [default: 7]

          --prices <FILE>
              Prices, a CSV file: `provider/name,input,cached input,output` in US dollars a million
              tokens

          --seed <N>
              Shuffles the order in which attempts begin [default: 1 with a model]

          --max-model-calls <N>
              Requests to models at the same time [default: as many as attempts]

          --max-grades <N>
              Grades at the same time [default: one a core]

          --no-preflight
              Ask no model for a sign of life before the attempts

    Limits:
          --limit-turns <N>
              Turns of an attempt [default: 100]

          --limit-time <SECONDS>
              Wall time of an attempt in seconds [default: 3600]

          --limit-tool-time <SECONDS>
              Wall time of a tool call in seconds [default: 60]

          --limit-input-tokens <N>
              Tokens of all requests of an attempt

          --limit-output-tokens <N>
              Tokens of all replies of an attempt

          --limit-attempt-cost <USD>
              Cost of an attempt in US dollars

          --limit-cost <USD>
              Cost of the experiment in US dollars

          --limit-tokens <N>
              Tokens of the experiment, those of requests and of replies

          --limit-run-time <SECONDS>
              Wall time of the run in seconds

    Sandbox:
          --engine <ENGINE>
              What executes guests: machine code, or wasmtime's interpreter
              
              [default: cranelift]
              [possible values: cranelift, pulley]

          --cross-check
              Have the other engine make each verdict again; a disagreement is a verifier fault

    Global options:
          --root <DIR>
              Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest one upwards]
              
              [env: MCPMARK_ROOT=]

          --home <DIR>
              Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
              
              [env: MCPMARK_HOME=]

          --held-back <FILE>
              A verifier that a bundle holds back, known by its digest; may be repeated

          --no-install
              Never change this machine to get a compiler for guests, with rustup or with apt-get
              
              [env: MCPMARK_NO_INSTALL=]

    $ mcpmark resume --help
    Go on with an experiment that was stopped

    Usage: mcpmark resume [OPTIONS] [EXPERIMENT]

    Arguments:
      [EXPERIMENT]  Name of the experiment [default: the newest]

    Options:
      -j, --jobs <N>                  Attempts at the same time [default: those of the run, or one a
                                      core]
          --limit-cost <USD>          Cost of the experiment in US dollars, what is spent already among
                                      it [default: that of the run]
          --limit-tokens <N>          Tokens of the experiment, what is spent already among them
                                      [default: those of the run]
          --limit-run-time <SECONDS>  Wall time of this run in seconds [default: that of the run before]
          --no-preflight              Ask no model for a sign of life before the attempts
          --json                      Print one JSON object
      -h, --help                      Print help

    Sandbox:
          --engine <ENGINE>  What executes guests: machine code, or wasmtime's interpreter [default:
                             cranelift] [possible values: cranelift, pulley]
          --cross-check      Have the other engine make each verdict again; a disagreement is a verifier
                             fault

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]

    $ mcpmark grade --help
    Grade a directory, with a task or with any verifier

    Usage: mcpmark grade [OPTIONS] <TASK|--verifier <FILE>|--batch <FILE>> <--state <STATE>|--batch <FILE>> [-- <ARGS>...]

    Arguments:
      [TASK]     The task whose verifier judges
      [ARGS]...  What a Python script is called with

    Options:
          --tasks <DIR>        Tasks are those of this bundle, or directory in a published layout with a
                               `verify.py` for each
          --verifier <FILE>    Any verifier, no task needed: a component, or a Python script (.py) whose
                               exit code judges
          --state <STATE>      The final state: a directory, or the digest of a stored state
          --start <STATE>      The starting state, for a verifier that compares [default: the task's
                               world; without a task, empty]
          --answer <FILE>      A file with the agent's last message
          --parameters <JSON>  The task's parameters, a JSON object
          --limits <LIMIT=N>   A limit of the verifier, as `fuel=2000000000`; may be repeated
          --env <NAME=VALUE>   A variable for a Python script's environment; may be repeated
          --json               Print one JSON object
          --batch <FILE>       Grade many: read one request a line from a file, or from standard input
                               (`-`)
      -j, --jobs <N>           Grades at the same time, of a batch [default: one a core]
      -h, --help               Print help

    Sandbox:
          --engine <ENGINE>  What executes guests: machine code, or wasmtime's interpreter [default:
                             cranelift] [possible values: cranelift, pulley]
          --cross-check      Have the other engine make each verdict again; a disagreement is a verifier
                             fault

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]

    Batches:
      Each line of the file is a JSON object:
        task or verifier  the id of a task, or the file of a component or Python script
        state             a directory, or the digest of a stored state
        start             the starting state, as above
        answer            the agent's last message, the text itself
        parameters        a JSON object, for a verifier without a task
        limits            the same: an object of limits, by the names of the README, and numbers
        env, args         variables (an object) and arguments (an array), for a Python script
        id                anything; it comes back with the outcome
      Each gets a line of JSON, in order and as soon as it is known: `line`, `id` and what
      --json prints, or `error` with `key`, `message` and `hint` for a line that cannot be
      graded. The others are graded all the same. Tasks and components are read once, a
      directory for each line that names it. The exit code is the highest that any line alone
      would have, 4 for a line that is no request.

    $ mcpmark task new --help
    Begin a new task: a whole small one that builds and stands its examination

    Usage: mcpmark task new [OPTIONS] <TASK>

    Arguments:
      <TASK>  Its id, `filesystem/<world>/<task>`; the world is there already

    Options:
          --title <TEXT>  Its title [default: "Count the files in each folder"]
      -h, --help          Print help

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]

    $ mcpmark task build --help
    Build the guests of tasks and of their worlds

    Usage: mcpmark task build [OPTIONS] [SELECTOR]...

    Arguments:
      [SELECTOR]...  Tasks: `<service>`, `<service>/<world>`, `<service>/<world>/<task>`, or a glob
                     [default: all]

    Options:
          --tier <TIER>  Only tasks of this tier; may be repeated [possible values: L1, L2, L3]
          --tag <TAG>    Only tasks with this tag; may be repeated
          --json         Print JSON
      -h, --help         Print help

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]

    $ mcpmark task check --help
    Attack the verifiers of tasks: who passes that should not, which mistakes go unnoticed

    Usage: mcpmark task check [OPTIONS] [SELECTOR]...

    Arguments:
      [SELECTOR]...  Tasks: `<service>`, `<service>/<world>`, `<service>/<world>/<task>`, or a glob
                     [default: all]

    Options:
          --tier <TIER>     Only tasks of this tier; may be repeated [possible values: L1, L2, L3]
          --tag <TAG>       Only tasks with this tag; may be repeated
          --json            Print JSON
          --write           Write certificates and tree views into the directories of the tasks
          --shipped         Insist on certificates that hold: a task that has none does not pass
          --survivors       Show each mistake that goes unnoticed, also of tasks that pass
          --tasks <DIR>     Tasks in a published layout, with a `verify.py` each; or a bundle, as
                            `suite.tar` or `oci://…`
          --states <DIR>    The states that they start from, `[SERVICE/]CATEGORY`
          --solved <DIR>    Final states of published tasks that must pass: `DIR/<task>`, and
                            `DIR/<task>.answer`
          --against-python  Also run the scripts of published tasks with this machine's python3, outside
                            of the sandbox, and compare
      -h, --help            Print help

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]

    $ mcpmark task list --help
    List tasks

    Usage: mcpmark task list [OPTIONS] [SELECTOR]...

    Arguments:
      [SELECTOR]...  Tasks: `<service>`, `<service>/<world>`, `<service>/<world>/<task>`, or a glob
                     [default: all]

    Options:
          --tier <TIER>   Only tasks of this tier; may be repeated [possible values: L1, L2, L3]
          --tag <TAG>     Only tasks with this tag; may be repeated
          --json          Print JSON
          --tasks <DIR>   Tasks in a published layout, with a `verify.py` each; or a bundle, as
                          `suite.tar` or `oci://…`
          --states <DIR>  The states that they start from, `[SERVICE/]CATEGORY`
      -h, --help          Print help

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]

    $ mcpmark task show --help
    Show one task

    Usage: mcpmark task show [OPTIONS] <TASK>

    Arguments:
      <TASK>  The task

    Options:
          --json  Print one JSON object
      -h, --help  Print help

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]

    $ mcpmark world list --help
    List the shipped worlds

    Usage: mcpmark world list [OPTIONS]

    Options:
          --json  Print JSON
      -h, --help  Print help

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]

    $ mcpmark world show --help
    Show a world's tree

    Usage: mcpmark world show [OPTIONS] <WORLD>

    Arguments:
      <WORLD>  A shipped world, any directory, or the digest of a state in the store

    Options:
          --json  Print JSON
      -h, --help  Print help

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]

    $ mcpmark world diff --help
    Show what differs between two worlds or states

    Usage: mcpmark world diff [OPTIONS] <BEFORE> <AFTER>

    Arguments:
      <BEFORE>  A shipped world, any directory, or the digest of a state in the store
      <AFTER>   A shipped world, any directory, or the digest of a state in the store

    Options:
          --full  Show every line that differs
          --json  Print JSON
      -h, --help  Print help

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]

    $ mcpmark mcp serve --help
    Serve a private copy of a world over stdio

    Usage: mcpmark mcp serve [OPTIONS] <--task <TASK>|--world <WORLD>>

    Options:
          --task <TASK>        Serve the world of this task
          --world <WORLD>      Serve a shipped world or any directory
          --service <SERVICE>  What a directory is a world of [default: filesystem]
          --profile <VERSION>  Serve the tools of this version of the published server
          --rest <ADDRESS>     Answer the service's own interface over HTTP, too: github has its REST;
                               an address of this machine such as 127.0.0.1:8080, or port 0 for any
          --export <DIR>       Write the final state here when the client has gone; the directory must
                               be empty or new
      -h, --help               Print help

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]

    $ mcpmark runs --help
    List experiments, or the attempts of one

    Usage: mcpmark runs [OPTIONS] [EXPERIMENT]

    Arguments:
      [EXPERIMENT]  Show the attempts of this experiment

    Options:
      -n, --limit <N>  How many experiments to list [default: 20]
          --json       Print JSON
      -h, --help       Print help

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]

    $ mcpmark show --help
    Show an attempt: what was done, what changed, what the verifier says

    Usage: mcpmark show [OPTIONS] <ATTEMPT>

    Arguments:
      <ATTEMPT>  The attempt's id, or the beginning of it

    Options:
          --full     Show tool results, and what changed, in full
          --explain  Search for the smallest difference to a state that passes, for each check that
                     failed
          --json     Print one JSON object
      -h, --help     Print help

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]

    $ mcpmark regrade --help
    Grade again what attempts left, with the verifiers that their tasks have now

    Usage: mcpmark regrade [OPTIONS] <EXPERIMENT|ATTEMPT>...

    Arguments:
      <EXPERIMENT|ATTEMPT>...  An experiment, or an attempt's id or its first characters; may be
                               repeated

    Options:
          --bundle <BUNDLE>  Grade with the verifiers of this bundle
      -j, --jobs <N>         Grades at the same time [default: one a core]
          --json             Print one JSON object
      -h, --help             Print help

    Sandbox:
          --engine <ENGINE>  What executes guests: machine code, or wasmtime's interpreter [default:
                             cranelift] [possible values: cranelift, pulley]
          --cross-check      Have the other engine make each verdict again; a disagreement is a verifier
                             fault

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]

    $ mcpmark receipt show --help
    Print the receipt of an attempt's last grade: an in-toto statement in canonical JSON

    Usage: mcpmark receipt show [OPTIONS] <ATTEMPT>

    Arguments:
      <ATTEMPT>  An attempt's id or its first characters

    Options:
      -o, --output <FILE>  Write it to this file instead of standard output
          --sign <KEY>     Sign it with this private key of Ed25519: a sigstore bundle with the
                           statement in it
      -h, --help           Print help

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]

    $ mcpmark receipt verify --help
    Grade again what a receipt names, and say whether the verdict is the same

    Usage: mcpmark receipt verify [OPTIONS] <FILE>

    Arguments:
      <FILE>  A receipt

    Options:
          --key <FILE>       The public key that must have signed it; a receipt that is signed needs one
          --state <DIR>      The final state, where the store does not have it
          --verifier <FILE>  The verifier's component, where the store does not have it
          --answer <FILE>    The agent's last message, where the store does not have it
          --json             Print one JSON object
      -h, --help             Print help

    Sandbox:
          --engine <ENGINE>  What executes guests: machine code, or wasmtime's interpreter [default:
                             cranelift] [possible values: cranelift, pulley]
          --cross-check      Have the other engine make each verdict again; a disagreement is a verifier
                             fault

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]

    $ mcpmark store stats --help
    Say what uses space

    Usage: mcpmark store stats [OPTIONS]

    Options:
          --json  Print one JSON object
      -h, --help  Print help

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]

    $ mcpmark store gc --help
    Remove what no attempt needs

    Usage: mcpmark store gc [OPTIONS]

    Options:
          --dry-run       Only say what would be removed
          --despite-loss  Go on although something that attempts need is lost: what only that names is
                          removed too
          --json          Print one JSON object
      -h, --help          Print help

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]

    $ mcpmark store check --help
    Compare every blob with its digest, and look whether all that attempts need is there

    Usage: mcpmark store check [OPTIONS]

    Options:
          --remove-damaged   Remove what is damaged, so that it can be written again
          --repair <BUNDLE>  Write what is damaged or missing again from this bundle, as far as it has
                             it
          --json             Print one JSON object
      -h, --help             Print help

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]

    $ mcpmark store export --help
    Write an experiment with its states to one file, for another machine to go on with

    Usage: mcpmark store export [OPTIONS] --output <FILE> <EXPERIMENT>

    Arguments:
      <EXPERIMENT>  Its name

    Options:
      -o, --output <FILE>  The file
      -h, --help           Print help

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]

    $ mcpmark store import --help
    Take in an experiment that another machine exported

    Usage: mcpmark store import [OPTIONS] <FILE>

    Arguments:
      <FILE>  The file

    Options:
      -h, --help  Print help

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]

    $ mcpmark bundle pack --help
    Pack tasks with their guests and worlds

    Usage: mcpmark bundle pack [OPTIONS] --output <PATH> [SELECTOR]...

    Arguments:
      [SELECTOR]...  Tasks: `<service>`, `<service>/<world>`, `<service>/<world>/<task>`, or a glob
                     [default: all]

    Options:
          --tier <TIER>       Only tasks of this tier; may be repeated [possible values: L1, L2, L3]
          --tag <TAG>         Only tasks with this tag; may be repeated
      -o, --output <PATH>     Where it goes: a directory that is new or empty, or a file that ends with
                              `.tar`
          --name <NAME>       The name of the suite
          --without-verifier  Leave the verifiers out: their digests are told, and whoever holds them
                              can grade
          --json              Print one JSON object
      -h, --help              Print help

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]

    $ mcpmark bundle inspect --help
    Say what is in a bundle and what its guests can do; of one in a registry no layer is fetched

    Usage: mcpmark bundle inspect [OPTIONS] <BUNDLE>

    Arguments:
      <BUNDLE>  A directory, a tar archive, or `oci://HOST/REPOSITORY[:TAG][@DIGEST]`

    Options:
          --json  Print one JSON object
      -h, --help  Print help

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]

    $ mcpmark bundle verify --help
    Read all of a bundle: every digest, every world, and what is said of its guests

    Usage: mcpmark bundle verify [OPTIONS] <BUNDLE>

    Arguments:
      <BUNDLE>  A directory, a tar archive, or `oci://HOST/REPOSITORY[:TAG][@DIGEST]`

    Options:
          --key <FILE>  Insist on a signature by this public key; may be repeated, and then any will do
          --json        Print one JSON object
      -h, --help        Print help

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]

    $ mcpmark bundle diff --help
    Say how two bundles differ: tasks, instructions, verifiers, and what guests can do

    Usage: mcpmark bundle diff [OPTIONS] <BEFORE> <AFTER>

    Arguments:
      <BEFORE>  The bundle before
      <AFTER>   The bundle after

    Options:
          --full  Show every line that differs
          --json  Print one JSON object
      -h, --help  Print help

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]

    $ mcpmark bundle push --help
    Send a bundle to a registry; what that has is not sent

    Usage: mcpmark bundle push [OPTIONS] <BUNDLE> <REFERENCE>

    Arguments:
      <BUNDLE>     A directory or a tar archive
      <REFERENCE>  `oci://HOST/REPOSITORY[:TAG]`

    Options:
          --json  Print one JSON object
      -h, --help  Print help

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]

    $ mcpmark bundle pull --help
    Get a bundle from a registry; what is here is not fetched

    Usage: mcpmark bundle pull [OPTIONS] <REFERENCE>

    Arguments:
      <REFERENCE>  `oci://HOST/REPOSITORY[:TAG][@DIGEST]`

    Options:
      -o, --output <PATH>  Write it to a directory, or to a file that ends with `.tar`
          --json           Print one JSON object
      -h, --help           Print help

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]

    $ mcpmark doctor --help
    Say what is installed and what can run

    Usage: mcpmark doctor [OPTIONS]

    Options:
          --json  Print one JSON object
      -h, --help  Print help

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]

    $ mcpmark completions --help
    Print completions for a shell

    Usage: mcpmark completions [OPTIONS] <SHELL>

    Arguments:
      <SHELL>  The shell [possible values: bash, elvish, fish, powershell, zsh]

    Options:
      -h, --help  Print help

    Global options:
          --root <DIR>        Directory with `tasks/` and `worlds/`, or a bundle [default: the nearest
                              one upwards] [env: MCPMARK_ROOT=]
          --home <DIR>        Where the journal and the store are kept [default: $XDG_DATA_HOME/mcpmark]
                              [env: MCPMARK_HOME=]
          --held-back <FILE>  A verifier that a bundle holds back, known by its digest; may be repeated
          --no-install        Never change this machine to get a compiler for guests, with rustup or
                              with apt-get [env: MCPMARK_NO_INSTALL=]
    "#);
}

#[test]
fn completions_know_the_commands() {
    let environment = Environment::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = environment.run(["completions", shell]).exits(0).stdout;
        for word in ["resume", "verifier", "world"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    environment.run(["completions", "tcl"]).exits(2);
}

#[test]
fn the_doctor_finds_this_repository_well() {
    let environment = Environment::new();
    let findings = environment.run(["doctor", "--json"]).exits(0).json();
    let findings = findings.as_array().unwrap();
    let state = |what: &str| {
        let found = findings.iter().find(|finding| finding["what"] == what);
        found.unwrap_or_else(|| panic!("nothing on {what}"))["state"].clone()
    };
    for what in [
        "sandbox",
        "tasks and worlds",
        "journal",
        "store",
        "service filesystem",
    ] {
        assert_eq!(state(what), "ok", "{what}");
    }
    // How worlds are copied is chosen, and said.
    let copies = |method: &str| {
        let mut command = environment.command(["doctor"]);
        Output::of(command.env("MCPMARK_WORLD_COPIES", method))
    };
    let copied = copies("copy").exits(0).stdout;
    let words: Vec<_> = copied.split_whitespace().collect();
    let words = words.join(" ");
    assert!(words.contains("private copies of worlds copied file by file in "));
    copies("overlap")
        .exits(2)
        .says(&["MCPMARK_WORLD_COPIES", "auto, overlay and copy"]);

    let library = Library::new(&environment);
    library.easy_task("easy");
    fs::write(library.task_dir("easy").join("meta.json"), "[]").unwrap();
    let output = library.run(["doctor"]).exits(5);
    assert!(
        output.stdout.contains("easy/meta.json"),
        "{}",
        output.stdout
    );
}

#[test]
fn the_doctor_shows_the_limits_that_count_and_what_is_missing() {
    let environment = Environment::new();
    let doctor = |variables: &[(&str, &str)]| {
        let mut command = environment.command(["doctor", "--json"]);
        command.envs(variables.iter().copied());
        Output::of(&mut command)
    };
    let finding = |report: &serde_json::Value, what: &str| {
        let findings = report.as_array().unwrap().iter();
        let mut named = findings.filter(|finding| finding["what"] == what);
        let found = named.next().unwrap_or_else(|| panic!("nothing on {what}"));
        let word = |key: &str| found[key].as_str().unwrap().to_owned();
        (word("state"), word("detail"))
    };
    let said = |state: &str, detail: &str| (state.to_owned(), detail.to_owned());

    let report = doctor(&[("MCPMARK_CACHE_BYTES", "")]).exits(0).json();
    let ceiling = "MCPMARK_LIMITS_CEILING";
    for (what, detail) in [
        ("MCPMARK_CACHE_BYTES", "2.0 GiB (default)"),
        ("MCPMARK_MAX_COMPONENT_BYTES", "16.0 MiB (default)"),
        ("MCPMARK_COMPILE_CPU_SECONDS", "60 s (default)"),
        ("MCPMARK_COMPILE_WALL_SECONDS", "120 s (default)"),
        ("MCPMARK_COMPILE_MEMORY_BYTES", "2.0 GiB (default)"),
        ("MCPMARK_COMPILE_CODE_BYTES", "512.0 MiB (default)"),
    ] {
        assert_eq!(finding(&report, what), said("ok", detail), "{what}");
    }
    let (state, detail) = finding(&report, ceiling);
    assert_eq!(state, "ok");
    assert!(
        detail.starts_with("fuel=100000000000, memory_bytes="),
        "{detail}"
    );
    assert!(detail.ends_with(" (default)"), "{detail}");
    assert!(
        finding(&report, "service filesystem")
            .1
            .starts_with("can run")
    );
    // What is run here was compiled here.
    assert_eq!(finding(&report, "C compiler").0, "ok");

    let set = [
        ("MCPMARK_CACHE_BYTES", "1048576"),
        (ceiling, "fuel=5,checks=7"),
    ];
    let report = doctor(&set).exits(0).json();
    assert_eq!(finding(&report, set[0].0), said("ok", "1.0 MiB (set)"));
    let (_, detail) = finding(&report, ceiling);
    assert!(
        detail.starts_with("fuel=5, ") && detail.ends_with(", checks=7 (set)"),
        "{detail}"
    );

    let broken = [("MCPMARK_CACHE_BYTES", "2 GB"), (ceiling, "fuel=lots")];
    let report = doctor(&broken).exits(5).json();
    let (state, detail) = finding(&report, broken[0].0);
    assert_eq!(state, "broken");
    for words in [
        "\"2 GB\"",
        "a whole number of bytes above 0",
        "the default is 2147483648",
    ] {
        assert!(detail.contains(words), "{detail}");
    }
    let (state, detail) = finding(&report, ceiling);
    assert_eq!(state, "broken");
    assert!(detail.contains("limit `fuel`: \"lots\""), "{detail}");
    // What cannot be had is refused by name, and not lowered without a word.
    let past = [(ceiling, "memory_bytes=8589934592")];
    let (state, detail) = finding(&doctor(&past).exits(5).json(), ceiling);
    assert_eq!(state, "broken");
    assert!(
        detail.contains("limit `memory_bytes`: 8589934592 is more than 1073741824"),
        "{detail}"
    );

    // Where nothing can be found, nothing is installed either.
    let report = doctor(&[("PATH", "/nowhere")]).exits(0).json();
    for (what, words) in [
        ("rust", "no cargo on the PATH"),
        ("C compiler", "no cc on the PATH"),
        ("node and npm", "`cargo test` skips"),
        (
            "guest compiler",
            "--no-install forbids to get one; type `rustup target add",
        ),
    ] {
        let (state, detail) = finding(&report, what);
        assert_eq!(state, "absent", "{what}");
        assert!(detail.contains(words), "{what}: {detail}");
    }
}

#[test]
fn a_variable_that_is_empty_counts_as_unset() {
    let environment = Environment::new();
    let mut command = environment.command(["runs", "--json"]);
    for name in [
        "MCPMARK_HOME",
        "MCPMARK_ROOT",
        "MCPMARK_NO_INSTALL",
        "MCPMARK_GUEST_TOOLCHAIN",
        "MCPMARK_LIMITS_CEILING",
        "MCPMARK_CACHE_BYTES",
    ] {
        command.env(name, "");
    }
    let runs = Output::of(&mut command).exits(0);
    assert_eq!(runs.json(), serde_json::json!([]));
    assert!(environment.path("data/mcpmark/journal.db").is_file());
    assert!(!environment.home().exists());
    // The library is looked for from here upwards, as it is without the variable.
    let mut command = environment.command(["task", "list"]);
    command
        .env("MCPMARK_ROOT", "")
        .current_dir(repository().join("tests"));
    let listed = Output::of(&mut command).exits(0);
    assert!(
        listed.stdout.contains("filesystem/food-bank/"),
        "{}",
        listed.stdout
    );
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let environment = Environment::new();
    let mut command = environment.command(["world", "show", "filesystem/food-bank", "--json"]);
    let mut child = command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
