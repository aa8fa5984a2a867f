/**
 * The type of a fact. `reference`: an id, a name from a closed list or a hash. `text`: words of a person, or an amount
 * in naira. `number`: a whole number below a thousand million. `place`: a whole number that grows from entry to entry.
 * `time`: milliseconds since 1970. Any fact may be null.
 */
export type FactType = "reference" | "text" | "number" | "place" | "flag" | "time";

type FactTypes = Readonly<Record<string, FactType>>;
type ValueOf<Type extends FactType> = Type extends "flag"
  ? boolean
  : Type extends "reference" | "text"
    ? string
    : number;
type FactsOf<Types extends FactTypes> = { readonly [Name in keyof Types]?: ValueOf<Types[Name]> | null };

/** An event without personal data, of a kind that `auditKind` declares. */
export interface AuditEvent {
  kind: string;
  types: FactTypes;
  /** The kind of actor, with its id if it has one: `system`, `operator:ada`. */
  actor: string;
  facts: Record<string, string | number | boolean | null>;
}

/**
 * What the audit trail knows of a kind of event. `protection` among its types: by which settings it was decided whether
 * the change waits for somebody.
 */
export interface DeclaredKind {
  readonly kind: string;
  readonly types: FactTypes;
}

/** Makes an event of its kind. */
export interface AuditKind<Types extends FactTypes> extends DeclaredKind {
  (actor: string, facts: FactsOf<Types>): AuditEvent;
}

/**
 * The fact with the number of an entry's row in the journal: entries of a verification are in its order, whatever
 * clocks say.
 */
export const journalOrder = "journal";

/** Declares a kind of event of the audit trail, with the names and types of its facts. */
export function auditKind<const Types extends FactTypes>(kind: string, types: Types): AuditKind<Types> {
  const event = (actor: string, facts: FactsOf<Types>): AuditEvent => ({
    kind,
    types,
    actor,
    facts: facts as AuditEvent["facts"],
  });
  return Object.assign(event, { kind, types });
}

/** Whether entries of this kind say by which settings it was decided whether a change waits. */
export function namesProtection({ types }: DeclaredKind): boolean {
  return Object.hasOwn(types, "protection");
}
