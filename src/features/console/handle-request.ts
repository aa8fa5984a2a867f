import type { IncomingMessage } from "node:http";
import { settingOf } from "../../config/read-config.ts";
import { type Command, checkRole, RoleError, roles } from "../../declare/command.ts";
import { html } from "../../http/pages/html.ts";
import { AddressRateLimiter } from "../../http/rate-limit.ts";
import { contentResponse } from "../../http/shell/content.ts";
import type { HttpResponse } from "../../http/shell/http-response.ts";
import { codeOf } from "../../storage/errors.ts";
import { asset } from "./console-assets.ts";
import { type Asked, ConsoleError, cookieIn, longestForm } from "./console-request.ts";
import { jsonResponse, page, redirect } from "./console-response.ts";
import type { ConsoleRoom, PageRequest } from "./console-room.ts";
import { consoleSettings } from "./console-settings.ts";
import { personActor } from "./people/people-rows.ts";
import { peopleTrail } from "./people/people-trail.ts";
import { findSession, type Session } from "./people/sessions.ts";
import { showCommand, showPlace } from "./routes/command-routes.ts";
import { sentFormReply, showDone, withLanding } from "./routes/form-routes.ts";
import { nowPage, nowPart, nowParts } from "./routes/now-routes.ts";
import {
  cookieName,
  joinPage,
  newPasskeyOptions,
  passkeyRoute,
  signInPage,
  signOut,
  typedPage,
} from "./routes/sign-in-routes.ts";
import { pathOf, siteFor } from "./site-map.ts";
import { sayingFor } from "./view/command-words.ts";
import { barePage } from "./view/frame.ts";

/**
 * Handles the console's requests, after these checks in this order: the rate limit; the host, except for assets and
 * `/healthz`; the origin of a form; and the session, except to sign in or to join.
 */
export function requestHandler(room: ConsoleRoom, addressOf: (raw: IncomingMessage) => string) {
  const limits = {
    all: new AddressRateLimiter("console", { count: 1200, seconds: 60 }),
    signIn: new AddressRateLimiter("sign-in", { count: 30, seconds: 60 }),
  };
  const byPath = new Map([...room.whole.commands.values()].map((command) => [pathOf(command), command]));
  const sites = new Map(roles.map((role) => [role, siteFor(room.whole, role)]));

  return async (raw: IncomingMessage): Promise<HttpResponse> => {
    let session: Session | undefined;
    try {
      const asked = { ...askedOf(raw, addressOf(raw)), arrival: room.config.requestTimeout };
      limited(limits.all, asked.address);
      const { path, isPost } = asked;
      if (path === "/healthz") return jsonResponse({ status: "ok" });
      if (path.startsWith("/assets/") && !isPost) {
        const file = asset(path.slice(8));
        return file ? await contentResponse(raw, file) : missing();
      }
      if (raw.headers.host !== new URL(room.origin()).host) return otherHost(room, asked);

      const secret = cookieIn(raw, cookieName(room.origin()));
      // When a part of the page Now refreshes itself, the person does not use the session.
      session = secret ? await findSession(room.store.db, secret, room.store.now(), !nowParts.has(path)) : undefined;
      if (isPost) checkOrigin(room, raw);
      if (!isPost && path === "/sign-in") return session ? redirect("/") : signInPage();
      if (!isPost && path === "/join") return joinPage();
      if (isPost && /^\/(?:sign-in|join)(?:\/|$)/.test(path)) {
        limited(limits.signIn, asked.address);
        const reply = await passkeyRoute(room, asked);
        if (reply) return reply;
      }
      if (!session) return await strangers(asked, byPath.get(path));
      const { timeZone } = room.config;
      const now = room.store.now();
      const times = { textOf: (at: number, isToSecond?: boolean) => timeZone.shortOf(at, now, isToSecond) };
      const site = sites.get(session.person.role)!;
      const names = new Map(room.operations);
      return await signedInResponse({
        ...room,
        ...asked,
        session,
        times,
        site,
        names,
        say: sayingFor(site, names, times),
      });
    } catch (error) {
      return refused(error, raw, session);
    }
  };

  async function signedInResponse(asked: PageRequest): Promise<HttpResponse> {
    const { path, isPost } = asked;
    const request = isPost ? asked : await withLanding(asked);
    if (isPost && path === "/sign-out") return signOut(request);
    if (isPost && path === "/passkeys/options") return newPasskeyOptions(request);
    const command = byPath.get(path);
    if (command) checkRole(command, request.session.person.role);

    if (isPost) {
      if (command) return sentFormReply(request, command);
      throw new ConsoleError(404, "path", "The console has no such form.");
    }
    const part = nowParts.get(path);
    if (part) return nowPart(request, part(request.query));
    const place = request.site.places.find((each) => each.path === path);
    if (place?.path === "/") return nowPage(request, place);
    if (place) return showPlace(request, place);
    if (!command) return missing();
    return request.query.has("_done") ? showDone(request, command) : showCommand(request, command);
  }

  /**
   * Answers a refusal or another error: as JSON for a script, else as a page or a part of the page Now. Writes an
   * audit entry if a signed-in person sent a form from another origin or with a wrong token, or ran a command beyond
   * the role.
   */
  async function refused(error: unknown, raw: IncomingMessage, session: Session | undefined): Promise<HttpResponse> {
    const isPart = nowParts.has(raw.url?.split("?")[0] ?? "");
    const isScript = /\bjson\b/.test(`${raw.headers.accept} ${raw.headers["content-type"]}`);
    if (!(error instanceof ConsoleError || error instanceof RoleError)) {
      room.log.error(
        { code: codeOf(error), error: error instanceof Error ? error.name : "unknown" },
        "the console could not answer a request",
      );
      return reported(
        500,
        "The console could not do this because of an error in Duba, or because its store is away. Try again.",
        { isScript, isPart },
      );
    }
    const { message } = error;
    const isRole = error instanceof RoleError;
    const { status, reason } = isRole ? { status: 403, reason: "role" } : error;
    if (session && ["origin", "form_token", "role"].includes(reason)) {
      const { person } = session;
      const facts = { reason, ...(isRole && { command: error.command }) };
      const event = peopleTrail.consoleRefused(personActor(person), { person: person.id, ...facts });
      await room.audit(room.store.db, event).catch(() => room.log.error({}, "the audit trail did not take a refusal"));
    }
    return reported(status, message, { isScript, isPart });
  }
}

function askedOf(raw: IncomingMessage, address: string): Omit<Asked, "arrival"> {
  const { method = "", url = "" } = raw;
  if (!["GET", "HEAD", "POST"].includes(method))
    throw new ConsoleError(405, "method", "The console knows GET, HEAD and POST.");
  const [path = "", query = ""] = url.split(/\?(.*)/s);
  // Allows only simple paths: no percent signs or double slashes, and a dot only before the extension.
  if (!/^\/(?:[a-z0-9_-]+(?:\/[a-z0-9_-]+)*(?:\.[a-z]+)?)?$/.test(path) || url.length > 8192)
    throw new ConsoleError(404, "path", "The console has no such page.");
  // PostgreSQL refuses NUL.
  const texts = new URLSearchParams(query.replaceAll("%00", ""));
  return { raw, isPost: method === "POST", path, query: texts, address };
}

/**
 * Answers a request with a wrong host. If no origin is set, redirects page loads to localhost, because passkeys need a
 * domain. Refuses all others.
 */
function otherHost(room: ConsoleRoom, { raw, isPost }: Pick<Asked, "raw" | "isPost">): HttpResponse {
  if (settingOf(room.config, consoleSettings.origin) === "" && !isPost) return redirect(`${room.origin()}${raw.url}`);
  const sentence = `The console is at ${room.origin()}. A proxy in front of it must pass on the Host header.`;
  throw new ConsoleError(421, "host", sentence);
}

/** Refuses a form from another origin, by the headers that browsers send. */
function checkOrigin(room: ConsoleRoom, { headers }: IncomingMessage): void {
  const site = headers["sec-fetch-site"];
  if (headers.origin === room.origin() && (site === undefined || site === "same-origin")) return;
  throw new ConsoleError(403, "origin", "This request does not come from a page of the console.");
}

function limited(limiter: AddressRateLimiter, address: string): void {
  const { exceeded, reset } = limiter.consume(address);
  if (exceeded) throw new ConsoleError(429, "limit", `Too many requests. Try again in ${reset} seconds.`);
}

async function strangers(asked: Asked, command: Command<never> | undefined): Promise<HttpResponse> {
  const { raw, isPost, path } = asked;
  const isSmall = Number(raw.headers["content-length"]) <= longestForm;
  // A script could not show the sign-in page, so only page loads get it.
  if (isPost && command && isSmall && raw.headers["sec-fetch-mode"] === "navigate") return typedPage(asked, command);
  // htmx reloads the page, which then leads to the sign-in page.
  if (nowParts.has(path)) return page("", 401, { "HX-Refresh": "true" });
  const next = isSmall ? "Send the form, or load the page again," : "Load the page again";
  if (isPost) throw new ConsoleError(401, "session", `Your session has ended. ${next} to sign in.`);
  // A link on another site comes without our cookie. The command in it must not run just because somebody clicked.
  if (raw.headers["sec-fetch-site"] === "cross-site") {
    const main = html`<h1>From another site</h1><p>You came by a link on another site. <a href="${raw.url ?? "/"}">Go on to ${raw.url ?? "/"}</a></p>`;
    return page(barePage({ title: "From another site", main }));
  }
  return redirect(`/sign-in?${new URLSearchParams({ next: raw.url ?? "/" })}`);
}

function missing(): HttpResponse {
  return reported(404, "The console has no such page.");
}

function reported(status: number, message: string, { isScript = false, isPart = false } = {}): HttpResponse {
  if (isScript) return jsonResponse({ message }, status);
  const says = html`<p class="wrong" role="alert">${message}</p>`;
  if (isPart) return page(says.text, status);
  const main = html`<h1>${status === 404 ? "Not found" : "Refused"}</h1>${says}<p><a href="/">To the start page</a></p>`;
  return page(barePage({ title: String(status), main }), status);
}
