import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import type { Command } from "../../../declare/command.ts";
import { type Html, html } from "../../../http/pages/html.ts";
import type { HttpResponse } from "../../../http/shell/http-response.ts";
import { sessionLife } from "../../../storage/tables/access-tables.ts";
import { type Asked, formIn, jsonIn, longestForm } from "../console-request.ts";
import { jsonResponse, page, redirect } from "../console-response.ts";
import type { ConsoleRoom, PageRequest } from "../console-room.ts";
import { anotherPasskeyOptions, registerPasskey, registrationOptions } from "../people/new-passkeys.ts";
import { PasskeyError, signInOptions, verifySignIn } from "../people/passkeys.ts";
import { personActor } from "../people/people-rows.ts";
import { peopleTrail } from "../people/people-trail.ts";
import { beginSession, browserOf, endSession } from "../people/sessions.ts";
import { pathOf } from "../site-map.ts";
import { repeated } from "../view/command-form.ts";
import { barePage } from "../view/frame.ts";
import { ownForm } from "./run-as.ts";

const scripts = ["webauthn.js", "passkey.js"];
const withoutScripts = html`<noscript><p class="quiet">Browsers offer passkeys to scripts only. Switch scripts on to sign in. After that you can switch them off.</p></noscript>`;

/** Returns the cookie's name. With the prefix `__Host-`, browsers bind it to this origin. */
export function cookieName(origin: string): string {
  return origin.startsWith("https:") ? "__Host-duba" : "duba_console";
}

export function signInPage(): HttpResponse {
  return page(barePage(signInParts(html``)));
}

/**
 * Renders the sign-in page for a form sent after the session ended. The page holds the typed texts and passes them to
 * `showTyped`, so none reaches a URL or the store.
 */
export async function typedPage(asked: Asked, command: Command<never>): Promise<HttpResponse> {
  const form = await formIn(asked, longestForm);
  const fields = ["_person", ...repeated(command)].flatMap((name) =>
    form
      .getAll(name)
      .map((text) => (typeof text === "string" ? html`<input type="hidden" name="${name}" value="${text}">` : "")),
  );
  const typed = html`<p class="quiet">Your session has ended, and nothing was done. Sign in, and the form stands as you typed it, without files and secrets.</p>
<form data-typed method="post" action="${pathOf(command)}?_typed=1" hidden>${fields}</form>`;
  return page(barePage(signInParts(typed)), 401);
}

function signInParts(lead: Html) {
  const main = html`<h1>Sign in</h1>${lead}
<p>Use the passkey that you registered with your invitation.</p>
<p><button class="button main" data-sign-in>Sign in with a passkey</button></p>
<p class="wrong" role="alert" data-problem></p>${withoutScripts}
<p class="quiet">No passkey, or lost it? An officer can invite you again: <code>duba people invite</code>.</p>`;
  return { title: "Sign in", main, scripts };
}

export function joinPage(): HttpResponse {
  const main = html`<h1>Join the console</h1>
<p>This invitation registers a passkey on this device. It works once.</p>
<form data-join><div class="field"><label for="name">Your name</label><p class="hint" id="name-hint">The other people of the console see it.</p>
<input id="name" name="name" autocomplete="name" maxlength="100" aria-describedby="name-hint"></div>
<p><button class="button main">Register a passkey</button></p></form>
<p class="wrong" role="alert" data-problem></p>${withoutScripts}`;
  return page(barePage({ title: "Join", main, scripts }));
}

/** Answers the passkey requests of scripts. Undefined for another path. */
export async function passkeyRoute(room: ConsoleRoom, asked: Asked): Promise<HttpResponse | undefined> {
  const { path, query } = asked;
  const place = { db: room.store.db, now: room.store.now, origin: room.origin(), audit: room.audit };
  const browser = browserOf(asked.raw.headers["user-agent"]);
  switch (path) {
    case "/sign-in/options":
      return jsonResponse(await signInOptions({ ...place, sign: await room.signer("sign-in") }));
    case "/sign-in":
      return refusing(room, async () => {
        const { response } = await jsonIn(asked);
        const strangers = { ...place, sign: await room.signer("sign-in") };
        const person = await verifySignIn(strangers, response as AuthenticationResponseJSON);
        await room.audit(place.db, peopleTrail.consoleSignedIn(personActor(person), { person: person.id }));
        return signedIn(room, person.id, browser, localPath(query.get("next")));
      });
    case "/join/options":
      return refusing(room, async () => {
        const { invitation } = await jsonIn(asked);
        return jsonResponse((await registrationOptions(place, String(invitation))).options);
      });
    case "/join":
      return refusing(room, async () => {
        const { invitation, name, response } = await jsonIn(asked);
        const request = {
          browser,
          invitation: String(invitation),
          name: String(name ?? "")
            .trim()
            .slice(0, 100),
        };
        const person = await registerPasskey(place, { ...request, response: response as RegistrationResponseJSON });
        return signedIn(room, person.id, browser, "/");
      });
    default:
      return undefined;
  }
}

/** Returns the options for a further passkey of the person. */
export async function newPasskeyOptions(request: PageRequest): Promise<HttpResponse> {
  await ownForm(request, longestForm);
  const { store, origin, session } = request;
  return jsonResponse(await anotherPasskeyOptions({ db: store.db, now: store.now, origin: origin() }, session.person));
}

export async function signOut(request: PageRequest): Promise<HttpResponse> {
  await ownForm(request, longestForm);
  const { db } = request.store;
  const { person, secret } = request.session;
  await endSession(db, secret);
  await request.audit(db, peopleTrail.consoleSignedOut(personActor(person), { person: person.id }));
  return redirect("/sign-in", { "Set-Cookie": cookie(request, "", 0), "Clear-Site-Data": '"cache"' });
}

/** Every sign-in makes a new session, so a planted cookie is useless. */
async function signedIn(room: ConsoleRoom, personId: string, browser: string, location: string): Promise<HttpResponse> {
  const secret = await beginSession(room.store.db, personId, room.store.now(), browser);
  return jsonResponse({ location }, 200, { "Set-Cookie": cookie(room, secret, sessionLife / 1000) });
}

function cookie(room: ConsoleRoom, value: string, seconds: number): string {
  const origin = room.origin();
  const secure = origin.startsWith("https:") ? "; Secure" : "";
  return `${cookieName(origin)}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`;
}

/** Returns a path of the console, and "/" for anything else, such as `//another.example`. */
export function localPath(text: string | null): string {
  return text !== null && /^\/[\w-][\w/?&=%.@:+-]*$/.test(text) ? text : "/";
}

/** Reports a passkey problem to the script, and writes an audit entry if the owner is known. */
async function refusing(room: ConsoleRoom, act: () => Promise<HttpResponse>): Promise<HttpResponse> {
  try {
    return await act();
  } catch (problem) {
    if (!(problem instanceof PasskeyError)) throw problem;
    const { person } = problem;
    if (person) {
      const event = peopleTrail.consoleRefused(personActor(person), { person: person.id, reason: "passkey" });
      await room.audit(room.store.db, event);
    }
    return jsonResponse({ message: problem.message }, 403);
  }
}
