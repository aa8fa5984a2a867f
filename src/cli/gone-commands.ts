/** Commands that are gone, each with the command line that does it now. */
const goneCommands: Readonly<Record<string, string>> = {
  "accounts terms": "duba accounts change",
  "catalogue diff": "duba catalogue show <revision> --since <revision>",
  "ledger unknowns": "duba ledger list --state unknown",
  "prices export": "duba catalogue export --list prices",
  "prices import": "duba catalogue import prices.csv",
  "prices leave": "duba prices join none <accounts>",
  "requests show": "duba requests list --request-id <id>",
  "routes explain": "duba ledger show <reference>",
  "sources list": "duba sources status --all",
  "upstreams list": "duba upstreams show <vendor>",
};

/** A sentence for a command line of a command that is gone; undefined for any other. */
export function goneCommand(argv: readonly string[]): string | undefined {
  const name = argv
    .filter((word) => !word.startsWith("-"))
    .slice(0, 2)
    .join(" ");
  const instead = goneCommands[name];
  return instead && `duba ${name} is gone. Write: ${instead}`;
}
