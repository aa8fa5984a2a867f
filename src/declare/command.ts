import type { TimeZone } from "../runtime/time-zone.ts";
import type { DeclaredKind } from "./audit-kind.ts";
import type { Column, Part, Viewing } from "./command/answer-schema.ts";
import type { Letter } from "./command/letter.ts";
import { ErrorWithMends } from "./command/mend.ts";
import { projected } from "./command/projected.ts";
import { InputError, readTexts, type Texts } from "./command/read-texts.ts";
import type { Text } from "./command/rich-text.ts";
import Type, { type Static, type TObject, type TSchema } from "./schema/type.ts";

/** Who may run a command. A later role may do all that an earlier one may. */
export const roles = ["viewer", "operator", "officer"] as const;
export type Role = (typeof roles)[number];

/** The rows of an answer that is a list, or that has one list among its members. */
type RowOf<Answer> = Answer extends readonly (infer Row)[]
  ? Row
  : {
      [Name in keyof Answer]-?: Answer[Name] extends readonly (infer Row extends object)[] ? Row : never;
    }[keyof Answer];

/** Nobody changes what a command returned. */
type Returned<Answer> = Answer extends object ? { readonly [Name in keyof Answer]: Returned<Answer[Name]> } : Answer;

/** What a command can give away. `protection`: it undoes what somebody did to protect the service or its money. */
export const givenAway = ["money", "authority", "credentials", "personal data", "protection"] as const;

/** What a command is about to do. */
export interface Effect {
  /** The question of the page that asks. Default: of the command's title and what it acts on. */
  asks?: string;
  /** Sentences for the person who confirms it. */
  says: readonly Text[];
  /** Amounts that it changes, as people read them. */
  moves?: readonly { what: string; before: string; after: string }[];
  /** With this input a person confirms it as a `danger`, although the command is none. */
  isDanger?: boolean;
}

type ExampleOf<Input> = { readonly [Name in keyof Input]?: string | readonly string[] | true };

/** Words to choose from in members of free text, by member, and which of them is meant unless somebody says another. */
export type Offered = Readonly<
  Record<string, { readonly words: readonly { word: string; text: string }[]; readonly chosen?: string | undefined }>
>;

/** By member and word; "" is all of them. */
export type ChoiceCounts = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** A tab says "99+" from here on: to count more would take longer than the page. */
export const mostCounted = 100;

/** How many rows each group has that the member `only` can name, and how many there are. */
export function groupCounts<Row>(
  groups: Readonly<Record<string, (row: Row) => boolean>>,
  rows: readonly Row[],
): ChoiceCounts {
  const counts = Object.entries(groups).map(([name, holds]) => [name, rows.filter(holds).length]);
  return { only: { "": rows.length, ...Object.fromEntries(counts) } };
}

/**
 * What a console makes of an answer beside its own page: how the service is, a day's figures or a table, on the page
 * Now; what happened lately, on the pages that it is about; or the things that a text may name.
 */
export type ShownAs = "state" | "figures" | "table" | "lately" | "found";

export interface Specification<Input extends TObject, Answer extends TSchema, Room> {
  /** Family and verb: `keys.create` is `duba keys create`. */
  id: string;
  /** What people call it: a button, a heading. "…" at its end: it asks more, or wants to be confirmed. */
  title: string;
  /** What it does, in one sentence. */
  summary: string;
  /** What else a person should know before the first use. */
  description?: string;
  /** What follows in the help of a terminal: exit codes, standard input. */
  onTerminal?: string;
  /** The least role that may run it. */
  role: Role;
  /** `danger`: a change that nobody can undo. A user interface asks the person to type what it hits. */
  kind: "read" | "change" | "danger";
  /** What it gives away. A user interface where people sign in wants their passkey to confirm it, as for `danger`. */
  gives?: (typeof givenAway)[number];
  /** What weighs in it, if that is not what it gives away: one sentence. */
  weighs?: string;
  /** Whether it gives nothing away with this input, such as with a test key. */
  givesNothing?: (input: Static<Input>, room: Room) => boolean | Promise<boolean>;
  /**
   * What it is about to do with this input, for the person who confirms it. It decides nothing and gives nothing away.
   * It throws what `run` would refuse anyway, so that nobody confirms that in vain. `run`: this command with this
   * input in the same room but for these members, such as a transaction that is taken back. Functions of the room
   * keep the store.
   */
  effect?: (
    input: Static<Input>,
    room: Room,
    run: (others: object) => Promise<Returned<Static<Answer>>>,
  ) => Promise<Effect>;
  /** Whether `effect` can find a danger, so that a terminal asks for it too. */
  mayBeDanger?: true;
  /**
   * It calls somebody outside, such as a vendor. A user interface does it when a person presses a button, and never for
   * a link.
   */
  calls?: true;
  /** Only the machine of the service can do it. */
  only?: "terminal";
  /** Default: `shared`, beside a running service. `untimed`: without time limits. `own`: no service may run on it. */
  store?: "shared" | "untimed" | "own" | "none";
  /** Whether it may read a replica, which can be behind: it decides nothing, and what it reads grows with traffic. */
  reports?: true;
  /** The members that name what the command acts on, in order. They are positional arguments on a terminal. */
  target?: readonly (keyof Static<Input> & string)[];
  /**
   * Whether it can act on a row of a list. A user interface offers it only there. Default: on each row that names its
   * target.
   */
  fits?: (row: Readonly<Record<string, unknown>>) => boolean;
  /** The data that `run` returns, as the store has it. What it does not declare goes nowhere. */
  answer: Answer;
  /** The columns of the answer's list. Default: all members of a row. */
  columns?: readonly Column<RowOf<Static<Answer>>>[];
  /** The columns of a page: the first one names the row, and leads to its record. Default: `columns`. */
  page?: readonly Column<RowOf<Static<Answer>>>[];
  /** What else a console makes of its answer. */
  shownAs?: ShownAs;
  /** A cell of its rows is a form: the column, the command that it runs, and the member that names the row there. */
  edits?: { column: string; by: string; names: string };
  /** The command that acts on the rows which a person chose by the members of this one. */
  actsOnChosen?: string;
  /** For choices that a person has about a record: when each is right, and what becomes of the money. */
  choices?: readonly { when: string; money: string }[];
  /**
   * What a form offers for members that say `offered`: of what was given so far, such as the headings of a chosen file;
   * and after this answer, with the texts to ask again.
   */
  offers?: {
    before: (input: Partial<Static<Input>>, room: Room) => Promise<Offered>;
    after?: (answer: Static<Answer>) => { offered: Offered; texts: Readonly<Record<string, string>> };
  };
  /** A CSV of those rows of its answer that somebody else gets, by a filled button. */
  handsOut?: { title: string; fits: (row: RowOf<Static<Answer>>) => boolean };
  /**
   * What a page fills in where the command is about its record without naming it as a target; undefined: it does not
   * fit.
   */
  fills?: (
    row: Readonly<Record<string, unknown>>,
  ) => { input: Readonly<Record<string, string>>; title: string } | undefined;
  /** The answer on a page. Default: `view`. */
  onPage?: (answer: Static<Answer>, viewing: Viewing) => readonly Part[];
  /** What a form's button does after this dry run, such as "Publish 30 prices"; undefined after any other answer. */
  does?: (answer: Static<Answer>) => string | undefined;
  /** The answer as a letter, which a page draws in its place; undefined if it is none. It throws as `run` does. */
  letter?: (input: Static<Input>, room: Room) => Promise<Letter | undefined>;
  /**
   * The column by which a page sorts at first; with a minus before it the other way round. Default: as `run` gives
   * them.
   */
  sort?: string;
  /** Sentence for an empty list. */
  none?: string;
  /** What makes its first row appear, and the id of the command that does. */
  noneThen?: { says: string; by?: string };
  /** Rows of each table that a user interface shows until a person asks for all. Default: all. */
  first?: number;
  /** The answer as people read it. Default: a list as a table, an object line by line. */
  view?: (answer: Static<Answer>, viewing: Viewing) => readonly Part[];
  /** False: the command worked, but something needs a hand. The exit code is then 1. */
  isWell?: (answer: Static<Answer>) => boolean;
  /** The kinds of entries that a change leaves in the audit trail. */
  records?: readonly DeclaredKind[];
  /**
   * How many rows a choice of its input finds by itself, where an index tells: `{ state: { unknown: 2 } }`. `asked`:
   * what else a page asks for, by which it may count fewer. `all`: its rows without any choice, if they were read
   * already.
   */
  choiceCounts?: (
    asked: Readonly<Record<string, string>>,
    room: Room,
    all?: readonly Returned<RowOf<Static<Answer>>>[],
  ) => Promise<ChoiceCounts>;
  /**
   * Its tab on the page of a record: its word, if that is not its title, and how many rows it has of the record,
   * counted up to `mostCounted`.
   */
  tab?: {
    title?: string;
    count?: (asked: Readonly<Record<string, string>>, room: Room) => Promise<number | undefined>;
  };
  /** One sentence of figures, at the head of its page or above what a dry run found. Empty: there is none. */
  figures?: (answer: Static<Answer>, viewing: Viewing) => string;
  /** The things that progress counts, such as `rows`. */
  counts?: string;
  /** More help: a heading, then terms and their sentences. */
  guide?: { heading: string; items: readonly (readonly [string, string])[] };
  run: (input: Static<Input>, room: Room) => Promise<Returned<Static<Answer>>>;
  /**
   * All rows that fit, however many, some at a time and in the order of the list: for CSV. Unless given, `run` returns
   * all.
   */
  rows?: (input: Static<Input>, room: Room) => AsyncIterable<readonly Returned<RowOf<Static<Answer>>>[]>;
}

/** Rows of a list that are read at a time when all of them are wanted. */
export const rowsAtOnce = 1_000;

export interface CommandTexts<Input extends TObject> {
  /**
   * Texts of a person, read by `readTexts`. Descriptions are the help of options and the hints of forms. Default: none.
   */
  input: Input;
  /** Default: without any input. */
  examples: readonly ExampleOf<Static<Input>>[];
}

/** One row of the table of commands. The command line, its documents and the tests of all commands derive from it. */
export type Command<Room> = Specification<TObject, TSchema, Room> & CommandTexts<TObject>;

/**
 * Declares a command. Annotate the second parameter of `run` with what it needs of its context; the schemas type the
 * input and the answer. `run` throws an `InputError` for values that do not fit each other.
 */
export function command<Answer extends TSchema, Room, Input extends TObject = TObject<Record<never, never>>>(
  specification: Specification<Input, Answer, Room> & Partial<CommandTexts<Input>>,
): Command<Room> {
  return { input: Type.Object({}), examples: [{}], ...specification } as unknown as Command<Room>;
}

/** What it is called at the head of its page and of its help. */
export function titleOf({ title }: Pick<Command<never>, "title">): string {
  return title.replace(/…$/, "");
}

/** Runs a command. What it returns holds only what its schema declares. Every user interface runs commands with it. */
export async function answered<Room>(command: Command<Room>, input: object, room: Room): Promise<unknown> {
  return projected(command.answer, await command.run(input as never, room), "stored");
}

/** Whether a person of this role may run the command. */
export function mayRun(role: Role, { role: least }: Pick<Command<never>, "role">): boolean {
  return roles.indexOf(role) >= roles.indexOf(least);
}

type Confirmed<Room> = Pick<Command<Room>, "kind" | "gives" | "givesNothing" | "effect" | "mayBeDanger" | "run">;

/** Whether a person of a user interface confirms it with a passkey. `never`: whatever the input is. */
export function confirms(command: Omit<Confirmed<never>, "run">): "always" | "sometimes" | "never" {
  const { kind, gives, givesNothing } = command;
  if (kind === "danger") return "always";
  if (gives !== undefined) return givesNothing ? "sometimes" : "always";
  return mayBeDanger(command) ? "sometimes" : "never";
}

/** Whether a person confirms it, at a terminal too, with some input at least. */
export function mayBeDanger({ kind, mayBeDanger: may }: Pick<Command<never>, "kind" | "mayBeDanger">): boolean {
  return kind === "danger" || may === true;
}

/** What a person has to confirm of this input; undefined: nothing. Throws what the command refuses about it. */
export async function confirmed<Room>(
  { kind, gives, givesNothing, effect, run }: Confirmed<Room>,
  input: object,
  room: Room,
): Promise<Effect | undefined> {
  const runIn = (others: object) => run(input as never, { ...room, ...others });
  const own: Effect = (await effect?.(input as never, room, runIn)) ?? { says: [] };
  const { isDanger = kind === "danger" } = own;
  const isGift = gives !== undefined && !(await givesNothing?.(input as never, room));
  return isDanger || isGift ? { ...own, isDanger } : undefined;
}

/** The command cannot do what the person wants. `message` is a sentence that says why, or what would be right. */
export class CommandError extends ErrorWithMends {
  readonly exitCode = 1;
}

/** The person may not run the command. */
export class RoleError extends Error {
  readonly command: string;

  constructor({ id, role: least }: Pick<Command<never>, "id" | "role">, role: Role) {
    super(`${id} needs the role ${least}. Your role is ${role}.`);
    this.command = id;
  }
}

/** Throws a `RoleError` for a role that may not run the command. */
export function checkRole(command: Command<never>, role: Role): void {
  if (!mayRun(role, command)) throw new RoleError(command, role);
}

/**
 * Turns the texts that a person gave into the input of a command. Days are days in `zone`. Every user interface calls
 * it before it runs a command. Throws a `RoleError` for a role that may not run it, and an `InputError` with all
 * problems of the texts.
 */
export function accept(command: Command<never>, role: Role, texts: Texts, zone: TimeZone): Record<string, unknown> {
  checkRole(command, role);
  const { input, problems } = readTexts(command.input, texts, zone);
  if (problems.length > 0) throw new InputError(problems);
  return input;
}
