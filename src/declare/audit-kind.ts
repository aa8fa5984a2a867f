/**
 * The type of a fact. `reference`: an id, a name from a closed list or a hash. `text`: a person's words, or naira text.
 * `number`: a whole number below a thousand million. `place`: a whole number that grows from entry to entry. `time`:
 * milliseconds since 1970. Any fact may be null.
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
  /** The actor's kind, with the id if there is one: `system`, `terminal:ada`. */
  actor: string;
  facts: Record<string, string | number | boolean | null>;
}

/**
 * The name and the fact types of an audit kind. A fact `protection` means: each entry says which settings decided
 * whether the change had to wait for approval.
 */
export interface DeclaredKind {
  readonly kind: string;
  readonly types: FactTypes;
}

/** Returns an event of this kind. */
export interface AuditKind<Types extends FactTypes> extends DeclaredKind {
  (actor: string, facts: FactsOf<Types>): AuditEvent;
}

/**
 * The fact that holds the number of a row in the journal. It orders the entries of a verification even if clocks
 * disagree.
 */
export const journalOrder = "journal";

/** Declares an audit kind: its name, and the names and types of its facts. */
export function auditKind<const Types extends FactTypes>(kind: string, types: Types): AuditKind<Types> {
  const event = (actor: string, facts: FactsOf<Types>): AuditEvent => ({
    kind,
    types,
    actor,
    facts: facts as AuditEvent["facts"],
  });
  return Object.assign(event, { kind, types });
}

/** Whether entries of this kind record the settings that decided if the change had to wait for approval. */
export function namesProtection({ types }: DeclaredKind): boolean {
  return Object.hasOwn(types, "protection");
}
