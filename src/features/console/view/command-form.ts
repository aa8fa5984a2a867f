import { randomBytes } from "node:crypto";
import { memberWith } from "../../../declare/command/answer-table.ts";
import { ErrorWithMends } from "../../../declare/command/mend.ts";
import { InputError, membersOf } from "../../../declare/command/read-texts.ts";
import { type Command, confirms, type Offered, titleOf } from "../../../declare/command.ts";
import { type Html, html } from "../../../http/pages/html.ts";
import { isMaker, labelFor, pathOf } from "../site-map.ts";
import {
  fieldLabel,
  formField,
  messageOf,
  type NamedMember,
  type Picked,
  type Picker,
  pickedOptions,
} from "./form-field.ts";
import { mendLinks, type Say } from "./words.ts";

/** The texts of a form, by member. */
export type FormTexts = Readonly<Record<string, readonly string[]>>;

export interface FormState {
  texts: FormTexts;
  /** What members of the record are now, as their fields say it: a form that leaves them so does not change them. */
  set?: FormTexts;
  /** Those values when the form was first rendered, for a form that is shown again. */
  was?: string | undefined;
  /** The identity vendors that the service asks. */
  vendors?: readonly string[];
  /** To choose from by typing a name. `typed`: too many for the page, so they come while somebody types. */
  lists?: Partial<Record<Picker, readonly Picked[] | "typed">>;
  problem?: Error | undefined;
  /** What it is about to do. */
  ahead?: Html | undefined;
  /** Words for members that say `offered`. */
  offered?: Offered;
  formToken: string;
  /** The id of the person who fills it. */
  person: string;
  say: Say;
  /** Name of the zone in which times are given. */
  zone: string;
  /** What people call what it acts on, if it has a name. */
  subject?: string;
  /** Where the form is sent. Default: the command's own page. */
  action?: string;
}

/** Whether the command runs by a GET: it only reads, calls no vendor, and has no private input. */
export function asksByUrl({ kind, calls, input }: Command<never>): boolean {
  return (
    kind === "read" &&
    !calls &&
    !membersOf(input).some(({ member }) => member.private || member.pasted || member.holds === "file")
  );
}

/** Whether the command can say what it would change. */
export function canCheck({ kind, input }: Command<never>): boolean {
  return kind !== "read" && membersOf(input).some(({ name }) => name === "dry_run");
}

/** The form of a command: a labelled field for each member of its input, with its hint, choices and problem. */
export function commandForm(
  command: Command<never>,
  {
    texts: given,
    set = {},
    was,
    vendors = [],
    lists = {},
    problem,
    ahead,
    offered = {},
    formToken,
    person,
    say,
    zone,
    action = pathOf(command),
    subject = "",
  }: FormState,
): Html {
  const byUrl = asksByUrl(command);
  const all = membersOf(command.input);
  const texts = problem ? given : filled(set, given);
  // A dry run has its own button, the next rows have a link, and a page has its number of rows.
  const elsewhere = byUrl ? ["cursor", ...(command.rows ? ["limit", "lines"] : [])] : ["dry_run"];
  const members = all.filter(({ name }) => !elsewhere.includes(name));
  const isOffered = ({ member }: NamedMember) => member.offered === true;
  const isUpload = members.some(({ member }) => member.holds === "file");
  const isDanger = command.kind === "danger";
  const checks = canCheck(command);
  const problems = new Map(
    problem instanceof InputError ? problem.problems.map(({ field, message }) => [field, message]) : [],
  );
  const isFolded = ({ member }: NamedMember) => !byUrl && member.folded === true;
  const first = members.find(
    (named) => !isFolded(named) && named.member.holds === undefined && !(texts[named.name] ?? []).length,
  );
  const known = members.filter(
    (named) => isOffered(named) && (offered[named.name] !== undefined || (texts[named.name] ?? []).length > 0),
  );
  const offers = members.find(isOffered);
  const fieldOf = (named: NamedMember) =>
    formField(named, texts[named.name] ?? [], problems.get(named.name), {
      say,
      zone,
      command,
      vendors,
      offered: offered[named.name],
      byUrl: byUrl && !savesFile(command),
      isFirst: !byUrl && !problem && named === first,
      isSet: set[named.name] !== undefined,
    });
  const folded = members.filter(isFolded);
  const isOpen = folded.some(
    ({ name, member }) => problems.has(name) || (given[name] ?? []).some((text) => text !== member.default),
  );
  const asks = confirms(command) !== "never";
  const isAsked = isFilled(command, given) && !problem;
  const shows = asks && !isAsked && showsAhead(command);
  const does = buttonOf(command, subject);
  const labels = folded.map(({ name, member }) => fieldLabel(name, member).toLowerCase()).join(", ");
  return html`<form class="command${checks || shows ? " desk" : ""}" method="${byUrl ? "get" : "post"}" action="${action}"${
    isUpload ? html` enctype="multipart/form-data"` : ""
  }${asks ? html` data-passkey` : ""}${isAsked ? html` data-filled` : ""}${savesFile(command) ? html` data-saves` : ""} novalidate>
<div class="fields">
${asks ? needsScripts : ""}${problem ? problemBox(problem, say, command) : ""}${ahead ?? ""}
${byUrl ? html`<input type="hidden" name="_run" value="1">` : html`<input type="hidden" name="_token" value="${formToken}"><input type="hidden" name="_person" value="${person}">`}${worksOnce(command) ? formId() : ""}
${Object.keys(set).length === 0 ? "" : html`<input type="hidden" name="_was" value="${was ?? JSON.stringify(set)}">`}
${members.map((named) => {
  if (named === offers) return html`<div ${asksFor(members, action)}>${known.map(fieldOf)}</div>`;
  return isFolded(named) || isOffered(named) ? "" : fieldOf(named);
})}
${folded.length === 0 ? "" : html`<details class="fold"${isOpen ? html` open` : ""}><summary>More<span class="quiet">${labels}</span></summary>${folded.map(fieldOf)}</details>`}
${Object.entries(lists).map(([picker, some]) =>
  some.length === 0
    ? ""
    : html`<datalist id="${picker}"${some === "typed" ? html` data-typed` : ""}>${some === "typed" ? "" : pickedOptions(some)}</datalist>`,
)}
</div>
${checks || shows ? html`<section class="answer" id="checked" aria-live="polite"${shows ? html` data-ahead` : ""}></section>` : ""}
<div class="send"><p class="buttons"><button class="button ${isDanger ? "danger" : "main"}" id="send">${checks ? html`<span class="usual">${does}</span><span id="does"></span>` : does}</button>${
    checks
      ? html` <button class="button" name="dry_run" value="on" hx-post="${action}"${isUpload ? html` hx-encoding="multipart/form-data"` : ""} hx-target="#checked" hx-select=".outcome, .problem" hx-select-oob="#does:innerHTML" hx-swap="innerHTML">Check</button>`
      : ""
  }</p>
${asks ? html`<p class="hint">${whyPasskey(command)}</p>${passkeyProblem}` : ""}</div>
</form>`;
}

/** A script asks what is offered once the file or the vendor is another one. Without scripts the answer says it. */
function asksFor(members: readonly NamedMember[], action: string): Html {
  const asked = members.filter(({ member }) => member.isVendor || member.holds === "file");
  const when = asked.map(({ name }) => `change from:#f-${name}`).join(", ");
  return html`hx-post="${action}?_offers=1" hx-encoding="multipart/form-data" hx-trigger="${when}" hx-swap="innerHTML" aria-live="polite"`;
}

/** The fields that are offered, alone. */
export function offeredFields(
  command: Command<never>,
  offered: Offered,
  { texts, say, zone }: Pick<FormState, "texts" | "say" | "zone">,
): Html {
  return html`${membersOf(command.input)
    .filter(({ name }) => offered[name] !== undefined)
    .map((named) =>
      formField(named, texts[named.name] ?? [], undefined, {
        say,
        zone,
        command,
        vendors: [],
        byUrl: false,
        offered: offered[named.name],
        isSet: false,
        isFirst: false,
      }),
    )}`;
}

/** Whether its link filled in all that a form asks, so that a person only confirms it. */
export function isFilled(command: Command<never>, given: FormTexts): boolean {
  const asked = membersOf(command.input).filter(({ member }) => !member.folded);
  return (
    confirms(command) === "always" && !canCheck(command) && asked.every(({ name }) => (given[name] ?? []).length > 0)
  );
}

/**
 * Whether the deed stands beside the form while somebody fills it in, so that a press need not show it first. What
 * nobody can undo, and what holds files or secrets, is shown by itself.
 */
function showsAhead(command: Command<never>): boolean {
  const members = membersOf(command.input).map(({ member }) => member);
  return (
    command.kind !== "danger" &&
    !canCheck(command) &&
    !savesFile(command) &&
    !members.some((member) => member.holds !== undefined || member.private || member.pasted)
  );
}

/** The form's texts, which override the record's current values. */
function filled(set: FormTexts, given: FormTexts): FormTexts {
  return { ...set, ...Object.fromEntries(Object.entries(given).filter(([, texts]) => texts.length > 0)) };
}

/** Said before somebody fills in what cannot be sent. */
const needsScripts = html`<noscript><p class="warn">Your passkey confirms this, and browsers offer passkeys to scripts only. Switch scripts on first.</p></noscript>`;

/** Where the script of passkeys says what went wrong. */
export const passkeyProblem = html`<p class="wrong" role="alert" data-problem></p>`;

/** Why the passkey of a person confirms a command. */
function whyPasskey(command: Command<never>): string {
  if (confirms(command) === "always") return `${weightOf(command)} Your passkey confirms it.`;
  return command.gives === "credentials" ? "A live key needs your passkey." : "Your passkey confirms it.";
}

/** What weighs in a deed. */
export function weightOf({ kind, gives, weighs }: Command<never>): string {
  return [kind === "danger" ? "Nobody can undo this." : [], weighs ?? (gives ? given[gives] : [])].flat().join(" ");
}

const given: Readonly<Record<NonNullable<Command<never>["gives"]>, string>> = {
  money: "This moves money.",
  authority: "This changes what somebody may do.",
  credentials: "This hands out a key.",
  "personal data": "This is about the data of a person.",
  protection: "This takes a protection away.",
};

/** Whether a form of the command does its work once, however often it is sent. */
export function worksOnce(command: Command<never>): boolean {
  return command.kind !== "read" && !savesFile(command);
}

/** Identifies a form, so that the console recognises it when it is sent. */
export function formId(): Html {
  return html`<input type="hidden" name="_form" value="${randomBytes(16).toString("base64url")}">`;
}

function savesFile({ answer }: Command<never>): boolean {
  return "lines" in answer || memberWith("holds", answer) !== undefined;
}

/** The members whose texts a page may repeat: not what is private, or may be, and no files. */
export function repeated({ input }: Command<never>): string[] {
  return membersOf(input).flatMap(({ name, member }) =>
    member.private || member.pasted || member.holds === "file" ? [] : [name],
  );
}

/** What the button of a form does, such as "Pause Dojah" or "Create key". */
function buttonOf(command: Command<never>, subject: string): string {
  if (savesFile(command)) return "Save the file";
  if (asksByUrl(command)) return "Show";
  const title = titleOf(command).replace(/^New (\w+)$/, "Create $1");
  return subject === "" || isMaker(command) ? title : `${title} ${subject}`;
}

function headOfProblem(command: Command<never> | undefined): string {
  if (command?.kind !== "read") return "Nothing was changed.";
  return command.shownAs === "found" ? "Not by number." : "Duba cannot show this.";
}

/** What is wrong, with a link to each field that it is about. */
export function problemBox(problem: Error, say: Say, command?: Command<never>): Html {
  const problems = problem instanceof InputError ? problem.problems : [];
  const known = new Map(command ? membersOf(command.input).map(({ name, member }) => [name, member]) : []);
  const items = problems.map(({ field, message }) => {
    const member = known.get(field);
    if (!member) return html`<li>${labelFor(field)} ${say(message)}.</li>`;
    return html`<li><a href="#f-${field}">${fieldLabel(field, member)} ${say(messageOf(message, { name: field, member }))}.</a></li>`;
  });
  const body =
    items.length > 0
      ? html`<ul>${items}</ul>`
      : html`<p class="lines">${say(problem.message)} ${problem instanceof ErrorWithMends ? mendLinks(problem.mends, say) : ""}</p>`;
  return html`<div class="band problem" role="alert" tabindex="-1" autofocus><h2>${headOfProblem(command)}</h2>${body}</div>`;
}
