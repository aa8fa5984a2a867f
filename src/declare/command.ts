import type { TimeZone } from "../runtime/time-zone.ts";
import type { DeclaredKind } from "./audit-kind.ts";
import type { Column, Part, Viewing } from "./command/answer-schema.ts";
import type { Letter } from "./command/letter.ts";
import { ErrorWithMends } from "./command/mend.ts";
import { projected } from "./command/projected.ts";
import { InputError, readTexts, type Texts } from "./command/read-texts.ts";
import type { Text } from "./command/rich-text.ts";
import Type, { type Static, type TObject, type TSchema } from "./schema/type.ts";

/** Roles, lowest first. Each role may do all that the roles before it may do. */
export const roles = ["viewer", "operator", "officer"] as const;
export type Role = (typeof roles)[number];

/** The row type of an answer that is a list, or that has exactly one list among its members. */
type RowOf<Answer> = Answer extends readonly (infer Row)[]
  ? Row
  : {
      [Name in keyof Answer]-?: Answer[Name] extends readonly (infer Row extends object)[] ? Row : never;
    }[keyof Answer];

/** Answers of commands are read-only. */
type Returned<Answer> = Answer extends object ? { readonly [Name in keyof Answer]: Returned<Answer[Name]> } : Answer;

/** The risks that a command can have. `protection`: the command removes a safeguard of the service or its money. */
export const givenAway = ["money", "authority", "credentials", "personal data", "protection"] as const;

/** The preview of a change, for the person who confirms it. */
export interface Effect {
  /** The question on the confirmation page. Default: made from the command's title and target. */
  asks?: string;
  /** Sentences for the person. */
  says: readonly Text[];
  /** Amounts that change, as text for people. */
  moves?: readonly { what: string; before: string; after: string }[];
  /** With this input, the person must confirm as for a command of kind `danger`. */
  isDanger?: boolean;
}

type ExampleOf<Input> = { readonly [Name in keyof Input]?: string | readonly string[] | true };

/**
 * Suggested words by member, for members of free text. `chosen`: the word that applies unless the person picks another.
 */
export type Offered = Readonly<
  Record<string, { readonly words: readonly { word: string; text: string }[]; readonly chosen?: string | undefined }>
>;

/** Numbers of rows by member and word. The word "" counts all rows. */
export type ChoiceCounts = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** From this number on a tab says "99+": counting further would take longer than the page. */
export const mostCounted = 100;

/** Counts the rows of each group that the member `only` can select, and all rows. */
export function groupCounts<Row>(
  groups: Readonly<Record<string, (row: Row) => boolean>>,
  rows: readonly Row[],
): ChoiceCounts {
  const counts = Object.entries(groups).map(([name, holds]) => [name, rows.filter(holds).length]);
  return { only: { "": rows.length, ...Object.fromEntries(counts) } };
}

/**
 * Where the console uses a command's answer beyond the command's own page. `state`, `figures`, `table`: on the page
 * Now. `lately`: recent audit entries on other pages. `found`: the search.
 */
export type ShownAs = "state" | "figures" | "table" | "lately" | "found";

export interface Specification<Input extends TObject, Answer extends TSchema, Room> {
  /** Family and verb: `keys.create` is `duba keys create`. */
  id: string;
  /** The name on buttons and headings. "…" at the end: the command asks for input or a confirmation first. */
  title: string;
  /** One sentence. */
  summary: string;
  /** Further sentences for the first use. */
  description?: string;
  /** An addition to the terminal's help: exit codes, standard input. */
  onTerminal?: string;
  /** The lowest role that may run the command. */
  role: Role;
  /** `danger`: a change that nobody can undo. On a terminal, the person has to type the name of the target. */
  kind: "read" | "change" | "danger";
  /** The risk of the command. The console then wants a confirmation by passkey, as for `danger`. */
  gives?: (typeof givenAway)[number];
  /** One sentence about the risk, in place of a sentence made from `gives`. */
  weighs?: string;
  /** Whether this input carries no risk, such as a test key. */
  givesNothing?: (input: Static<Input>, room: Room) => boolean | Promise<boolean>;
  /**
   * Returns the preview of a change, for the person who confirms it. It changes nothing, shows no secret, and throws
   * the same errors as `run`, so that nobody confirms in vain. `run`: runs this command with some members of the room
   * replaced, such as a transaction that is rolled back. Functions of the room still use the original store.
   */
  effect?: (
    input: Static<Input>,
    room: Room,
    run: (others: object) => Promise<Returned<Static<Answer>>>,
  ) => Promise<Effect>;
  /** Whether `effect` can return `isDanger`, so that a terminal asks for a confirmation as well. */
  mayBeDanger?: true;
  /**
   * The command calls an outside service, such as a vendor. The console runs it only when a person presses a button,
   * never for a link.
   */
  calls?: true;
  /** Only the terminal offers the command, because the command needs the service's machine. */
  only?: "terminal";
  /**
   * How the command opens the store. `shared` (default): beside a running service. `untimed`: like `shared`, without
   * time limits. `own`: alone, while no service runs.
   */
  store?: "shared" | "untimed" | "own" | "none";
  /**
   * Whether the command may read a replica, which may lag behind. Only for reports: reads that grow with traffic and
   * decide nothing.
   */
  reports?: true;
  /** Members that name the target, in order. On a terminal they are positional arguments. */
  target?: readonly (keyof Static<Input> & string)[];
  /** Whether the command suits a row of a list; lists offer it only then. Default: every row that names the target. */
  fits?: (row: Readonly<Record<string, unknown>>) => boolean;
  /** The schema of the value that `run` returns. Undeclared members are dropped. */
  answer: Answer;
  /** Columns of the list on a terminal. Default: all members of a row. */
  columns?: readonly Column<RowOf<Static<Answer>>>[];
  /** Columns of the list on a page. The first column links to the row's record. Default: `columns`. */
  page?: readonly Column<RowOf<Static<Answer>>>[];
  /** Where else the console uses the answer. */
  shownAs?: ShownAs;
  /**
   * Makes a cell editable. `column`: the column; `by`: the command that saves the cell; `names`: that command's member
   * for the row.
   */
  edits?: { column: string; by: string; names: string };
  /** Id of a command that acts on rows chosen with this command's input. */
  actsOnChosen?: string;
  /** Advice for a person who has to choose among commands: when to run this one, and what happens to the money. */
  choices?: readonly { when: string; money: string }[];
  /**
   * Suggestions for members marked `offered`. `before`: from the input so far, such as the headings of a chosen file.
   * `after`: from the answer, with the texts for the next request.
   */
  offers?: {
    before: (input: Partial<Static<Input>>, room: Room) => Promise<Offered>;
    after?: (answer: Static<Answer>) => { offered: Offered; texts: Readonly<Record<string, string>> };
  };
  /** A filled button that downloads the fitting rows as CSV, for somebody else. */
  handsOut?: { title: string; fits: (row: RowOf<Static<Answer>>) => boolean };
  /** The input for a page whose record is not the command's target. Undefined: the page does not offer the command. */
  fills?: (
    row: Readonly<Record<string, unknown>>,
  ) => { input: Readonly<Record<string, string>>; title: string } | undefined;
  /** The view of an answer on a page. Default: `view`. */
  onPage?: (answer: Static<Answer>, viewing: Viewing) => readonly Part[];
  /**
   * The label of the submit button after a dry run, such as "Publish 30 prices". Undefined if the answer is no dry run.
   */
  does?: (answer: Static<Answer>) => string | undefined;
  /**
   * The answer as a letter, which a page shows instead of the view; undefined if there is none. Throws as `run` does.
   */
  letter?: (input: Static<Input>, room: Room) => Promise<Letter | undefined>;
  /** The column that a page of the menu sorts by at first, descending after a minus. Default: the order of `run`. */
  sort?: string;
  /** The sentence for an empty list. */
  none?: string;
  /** For an empty list: a sentence about how rows appear, and the id of the command that adds one. */
  noneThen?: { says: string; by?: string };
  /** Number of rows that a terminal shows of each table until a person asks for all. Default: all. */
  first?: number;
  /** The answer for people. Default: a list as a table, an object line by line. */
  view?: (answer: Static<Answer>, viewing: Viewing) => readonly Part[];
  /** False: the command worked but found a problem. A terminal then exits with 1. */
  isWell?: (answer: Static<Answer>) => boolean;
  /** The audit kinds that the command writes. */
  records?: readonly DeclaredKind[];
  /**
   * Row counts for the words of a member, such as `{ state: { unknown: 2 } }`, from an index. `asked`: the other
   * filters, which may lower the counts. `all`: the unfiltered rows, if a page has read them already.
   */
  choiceCounts?: (
    asked: Readonly<Record<string, string>>,
    room: Room,
    all?: readonly Returned<RowOf<Static<Answer>>>[],
  ) => Promise<ChoiceCounts>;
  /**
   * A tab on a record's page. Its default title is the command's. `count`: rows that belong to the record, at most
   * `mostCounted`.
   */
  tab?: {
    title?: string;
    count?: (asked: Readonly<Record<string, string>>, room: Room) => Promise<number | undefined>;
  };
  /** One sentence of figures, at the head of the page or above the result of a dry run. Empty text: no sentence. */
  figures?: (answer: Static<Answer>, viewing: Viewing) => string;
  /** The unit of progress, such as `rows`. */
  counts?: string;
  /** Further help: a heading, then terms with their explanations. */
  guide?: { heading: string; items: readonly (readonly [string, string])[] };
  run: (input: Static<Input>, room: Room) => Promise<Returned<Static<Answer>>>;
  /** Yields all rows in chunks, in the order of the list, for CSV. Default: the rows of `run`. */
  rows?: (input: Static<Input>, room: Room) => AsyncIterable<readonly Returned<RowOf<Static<Answer>>>[]>;
}

/** Rows in one chunk when all rows are read. */
export const rowsAtOnce = 1_000;

export interface CommandTexts<Input extends TObject> {
  /**
   * The schema of the input, read by `readTexts`. Descriptions become help of options and hints of forms. Default: no
   * members.
   */
  input: Input;
  /** Default: one example without input. */
  examples: readonly ExampleOf<Static<Input>>[];
}

/** A command as one value. Its command line, documents and tests all derive from it. */
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

/** The title without its "…", for headings. */
export function titleOf({ title }: Pick<Command<never>, "title">): string {
  return title.replace(/…$/, "");
}

/**
 * Runs a command, and drops members that its schema does not declare. Every user interface runs commands with this
 * function.
 */
export async function answered<Room>(command: Command<Room>, input: object, room: Room): Promise<unknown> {
  return projected(command.answer, await command.run(input as never, room), "stored");
}

export function mayRun(role: Role, { role: least }: Pick<Command<never>, "role">): boolean {
  return roles.indexOf(role) >= roles.indexOf(least);
}

type Confirmed<Room> = Pick<Command<Room>, "kind" | "gives" | "givesNothing" | "effect" | "mayBeDanger" | "run">;

/** Whether a user interface asks for a passkey before it runs the command. `never`: for no input. */
export function confirms(command: Omit<Confirmed<never>, "run">): "always" | "sometimes" | "never" {
  const { kind, gives, givesNothing } = command;
  if (kind === "danger") return "always";
  if (gives !== undefined) return givesNothing ? "sometimes" : "always";
  return mayBeDanger(command) ? "sometimes" : "never";
}

/** Whether the command can need a confirmation on a terminal. */
export function mayBeDanger({ kind, mayBeDanger: may }: Pick<Command<never>, "kind" | "mayBeDanger">): boolean {
  return kind === "danger" || may === true;
}

/** Returns the preview that a person must confirm, or undefined if none is needed. Throws the command's own errors. */
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

/** A command failed for a reason that the person should read. `message` is a sentence with the reason or the remedy. */
export class CommandError extends ErrorWithMends {
  readonly exitCode = 1;
}

/** The person's role may not run the command. */
export class RoleError extends Error {
  readonly command: string;

  constructor({ id, role: least }: Pick<Command<never>, "id" | "role">, role: Role) {
    super(`${id} needs the role ${least}. Your role is ${role}.`);
    this.command = id;
  }
}

/** Throws a `RoleError` if the role may not run the command. */
export function checkRole(command: Command<never>, role: Role): void {
  if (!mayRun(role, command)) throw new RoleError(command, role);
}

/**
 * Reads a person's texts as the input of a command. Days are days in `zone`. Every user interface calls this before it
 * runs a command. Throws a `RoleError` if the role may not run the command, and an `InputError` with all problems of
 * the texts.
 */
export function accept(command: Command<never>, role: Role, texts: Texts, zone: TimeZone): Record<string, unknown> {
  checkRole(command, role);
  const { input, problems } = readTexts(command.input, texts, zone);
  if (problems.length > 0) throw new InputError(problems);
  return input;
}
