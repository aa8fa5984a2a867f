import { Failure } from "../../declare/failures.ts";
import { optionalField } from "../../declare/fields.ts";
import { type Mode, modeHeader, operation, standInMode } from "../../declare/operation.ts";
import Type from "../../declare/schema/type.ts";
import type { AccessRoom } from "../access.ts";
import type { PresentedKey } from "../tokens/issue-token.ts";

const input = Type.Object({
  email: optionalField({
    description: "E-mail address of the account; case does not matter.",
    problem: "must be the account's e-mail address",
    example: "sandbox@example.com",
  }),
  password: optionalField({
    description: "One whole API key of the account.",
    problem: "must be a whole API key",
    example: "duba_test_…",
  }),
});

const headers = Type.Object({
  authorization: Type.Optional(
    Type.String({
      description:
        "Instead of the body: HTTP Basic with the key's public id or the account's e-mail as user name and the " +
        "whole API key as password.",
    }),
  ),
});

const answer = Type.Object({
  success: Type.Literal(true),
  data: Type.Object({
    business_name: Type.String({ description: "Name of the account" }),
    token: Type.Object(
      {
        access_token: Type.String({ description: "Opaque; send it as `Authorization: Bearer <access_token>`" }),
        token_type: Type.Literal("Bearer"),
        expires_at: Type.String({
          description: "YYYY-MM-DD HH:MM:SS in UTC",
          pattern: "^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$",
        }),
      },
      { title: "AccessToken" },
    ),
  }),
});

export const authorizeMerchant = operation({
  id: "authorizeMerchant",
  method: "POST",
  path: "/api/v2/merchant/authorization",
  summary: "Exchange an API key for an access token",
  alsoCalled: ["token", "login", "auth", "oauthtoken"],
  description:
    "Gives a token that stands for the API key for 24 hours, and dies with the key. " +
    "Within a minute a key gets the same token again, so that an exchange before each call does no harm; " +
    "one that succeeds counts in no limit. Send the account's e-mail and a whole API key as JSON, " +
    "or the key with HTTP Basic and no body. API keys are accepted by every operation, " +
    "so the exchange is for clients that want a token.",
  group: "Credentials",
  access: "own",
  scope: null,
  limit: "credential",
  carriage: "body",
  input,
  headers,
  answer,
  failures: ["missing_credentials", "invalid_credentials", "expired_credentials", "address_not_allowed"],
  examples: [
    {
      summary: "A key of the Sandbox account",
      input: { email: "sandbox@example.com", password: "duba_test_…" },
      answer: {
        success: true,
        data: {
          business_name: "Sandbox",
          token: { access_token: "duba_at_…", token_type: "Bearer", expires_at: "2026-01-31 09:30:00" },
        },
      },
    },
  ],
  run: async ({ input, headers, address }, room: AccessRoom) => {
    const token = await room.issueToken(presentedIn(input, headers.authorization), address);
    return {
      answer: {
        success: true as const,
        data: {
          business_name: token.businessName,
          token: {
            access_token: token.text,
            token_type: "Bearer" as const,
            expires_at: new Date(token.expiresAt).toISOString().slice(0, 19).replace("T", " "),
          },
        },
      },
      headers: modeHeaders(token.mode, room.standIns),
    };
  },
});

function modeHeaders(mode: Mode, standIns: boolean): Record<string, string> {
  if (mode === "test") return { [modeHeader]: mode };
  return standIns ? { [modeHeader]: standInMode } : {};
}

/** Returns the credentials that the caller presented. A body with members takes precedence over HTTP Basic. */
function presentedIn({ email, password }: { email?: string; password?: string }, header = ""): PresentedKey {
  if (email !== undefined && password !== undefined) return { form: "json", name: email, key: password };
  if (email !== undefined) throw lacking("password", "email");
  if (password !== undefined) throw lacking("email", "password");
  const basic = /^basic(?: +(.*))?$/i.exec(header);
  if (!basic) {
    throw new Failure(
      "missing_credentials",
      "Send the JSON members email and password (a whole API key), or HTTP Basic with the key's public id or the " +
        "account's e-mail as user name and the whole API key as password.",
    );
  }
  const [, name = "", key = ""] = /^([^:]*):(.*)$/s.exec(Buffer.from(basic[1] ?? "", "base64").toString()) ?? [];
  return { form: "basic", name, key };
}

function lacking(field: string, given: string): Failure {
  const message = `${field} is required when ${given} is given.`;
  return new Failure("validation_failed", message, { fields: [{ field, message }] });
}
