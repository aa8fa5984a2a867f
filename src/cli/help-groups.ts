/** How `duba --help` puts its commands together, in the order in which a person meets them. */
const groups: Readonly<Record<string, readonly string[]>> = {
  Serve: ["serve", "status", "alarms", "doctor", "demo", "check", "call", "listen", "trigger"],
  Clients: ["accounts", "keys", "requests", "events"],
  "Verifications and money": ["find", "ledger", "books", "subjects"],
  Catalogue: ["catalogue", "prices", "sources"],
  Vendors: ["upstreams", "routes", "stand-in"],
  "People and audit": ["people", "audit", "evidence"],
  Store: ["keyring", "backup", "restore", "migrate", "clock"],
};

const order = Object.values(groups).flat();

/** The heading above a command; undefined for one that nobody put anywhere. */
export function helpGroupOf(name: string): string | undefined {
  return Object.keys(groups).find((group) => groups[group]!.includes(name));
}

/** Such things in the order of the help. */
export function inHelpOrder<Named extends { name: string }>(commands: readonly Named[]): Named[] {
  return commands.toSorted((one, other) => order.indexOf(one.name) - order.indexOf(other.name));
}
