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

/** A form's texts, by member. */
export type FormTexts = Readonly<Record<string, readonly string[]>>;

export interface FormState {
  texts: FormTexts;
  /** The record's current values as field texts. A member left unchanged is not sent to the command. */
  set?: FormTexts;
  /** The values when the form was first shown, for a form shown again. */
  was?: string | undefined;
  /** The identity vendors in use. */
  vendors?: readonly string[];
  /** Choices by name. `typed`: too many for the page, so they are suggested while typing. */
  lists?: Partial<Record<Picker, readonly Picked[] | "typed">>;
  problem?: Error | undefined;
  /** The preview of the command. */
  ahead?: Html | undefined;
  /** Suggestions for members marked `offered`. */
  offered?: Offered;
  formToken: string;
  /** The id of the person who fills in the form. */
  person: string;
  say: Say;
  /** The name of the time zone of the form's times. */
  zone: string;
  /** The name of the command's target, if it has one. */
  subject?: string;
  /** The URL to send the form to. Default: the command's page. */
  action?: string;
}

/** Whether a GET may run the command: it only reads, calls no vendor, and has no private input. */
export function asksByUrl({ kind, calls, input }: Command<never>): boolean {
  return (
    kind === "read" &&
    !calls &&
    !membersOf(input).some(({ member }) => member.private || member.pasted || member.holds === "file")
  );
}

/** Whether the command has a dry run. */
export function canCheck({ kind, input }: Command<never>): boolean {
  return kind !== "read" && membersOf(input).some(({ name }) => name === "dry_run");
}

/** Renders a command's form: a field for each member, with hint, choices and problem. */
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
  // Not fields here: a dry run is a button, the next rows are a link, and pages have a fixed number of rows.
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

/**
 * Returns attributes that fetch new suggestions when the person changes the file or vendor. Without scripts, the page
 * that refuses the sent form has suggestions.
 */
function asksFor(members: readonly NamedMember[], action: string): Html {
  const asked = members.filter(({ member }) => member.isVendor || member.holds === "file");
  const when = asked.map(({ name }) => `change from:#f-${name}`).join(", ");
  return html`hx-post="${action}?_offers=1" hx-encoding="multipart/form-data" hx-trigger="${when}" hx-swap="innerHTML" aria-live="polite"`;
}

/** Renders only the fields with suggestions. */
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

/** Whether a link filled in the whole form, so that only the confirmation is left. */
export function isFilled(command: Command<never>, given: FormTexts): boolean {
  const asked = membersOf(command.input).filter(({ member }) => !member.folded);
  return (
    confirms(command) === "always" && !canCheck(command) && asked.every(({ name }) => (given[name] ?? []).length > 0)
  );
}

/**
 * Whether the form shows its preview while it is filled in, so that one press is enough. Not for irreversible commands,
 * and not with files or secrets.
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

/** Merges the form's texts into the record's current values. */
function filled(set: FormTexts, given: FormTexts): FormTexts {
  return { ...set, ...Object.fromEntries(Object.entries(given).filter(([, texts]) => texts.length > 0)) };
}

/** Shown before the person fills in a form that cannot be sent without scripts. */
const needsScripts = html`<noscript><p class="warn">Your passkey confirms this, and browsers offer passkeys to scripts only. Switch scripts on first.</p></noscript>`;

/** Where the passkey script shows an error. */
export const passkeyProblem = html`<p class="wrong" role="alert" data-problem></p>`;

/** Returns the reason why the command needs a passkey. */
function whyPasskey(command: Command<never>): string {
  if (confirms(command) === "always") return `${weightOf(command)} Your passkey confirms it.`;
  return command.gives === "credentials" ? "A live key needs your passkey." : "Your passkey confirms it.";
}

/** Returns sentences about the command's risk. */
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

/** Whether a form of the command must run only once, however often it is sent. */
export function worksOnce(command: Command<never>): boolean {
  return command.kind !== "read" && !savesFile(command);
}

/** Renders a random id, by which the console recognises a repeated form. */
export function formId(): Html {
  return html`<input type="hidden" name="_form" value="${randomBytes(16).toString("base64url")}">`;
}

function savesFile({ answer }: Command<never>): boolean {
  return "lines" in answer || memberWith("holds", answer) !== undefined;
}

/** Returns the members that a page may show again: without private, pasted and file members. */
export function repeated({ input }: Command<never>): string[] {
  return membersOf(input).flatMap(({ name, member }) =>
    member.private || member.pasted || member.holds === "file" ? [] : [name],
  );
}

/** Returns the label of the form's button, such as "Pause Dojah" or "Create key". */
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

/** Renders a problem, with links to its fields. */
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
