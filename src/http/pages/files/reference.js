// Starts the reference. Like the scripts of the Postman collection, it gives each verification a new key, and replaces
// examples that only show a form with values of the reader's own.
const { configuration, keyed, examples } = Object.fromEntries(
  Object.entries(document.currentScript.dataset).map(([name, value]) => [name, JSON.parse(value)]),
);
/**
 * Values from the last verification of this page, and the last endpoint, by the member whose example each value
 * replaces.
 */
const latest = {};
let sentKey;

/** The value to send for an example that the reader did not change. */
function filledIn(name, given) {
  if (given !== examples[name]) return given;
  // Every request goes to this server, because the page's policy allows connections to no other server.
  return (name === "password" ? document.querySelector("input[placeholder=Token]")?.value : latest[name]) || given;
}

function bodyOf(text) {
  try {
    return JSON.stringify(JSON.parse(text, filledIn), null, 2);
  } catch {
    return text;
  }
}

function onBeforeRequest({ requestBuilder: { method, headers, path, query, body } }) {
  sentKey = undefined;
  for (const [name, given] of Object.entries(path.variables)) path.variables[name] = filledIn(name, given);
  for (const [name, given] of [...query]) query.set(name, filledIn(name, given));
  if (method !== "POST" || body?.mode !== "raw") return;
  if (!keyed.includes(path.raw)) body.value = bodyOf(body.value);
  else {
    // Browsers have randomUUID on https and localhost only.
    const random = () => crypto.getRandomValues(new Uint32Array(4)).join("-");
    if (!headers.get("Idempotency-Key")) headers.set("Idempotency-Key", random());
    sentKey = headers.get("Idempotency-Key");
  }
}

async function onResponseReceived({ response }) {
  if (!response.ok) return;
  const { data } = await response.clone().json();
  if (/^ep_/.test(data?.id)) latest.id = data.id;
  if (sentKey === undefined) return;
  const request_id = response.headers.get("X-Request-Id");
  const { request_reference } = data;
  Object.assign(latest, { request_reference, request_id, idempotency_key: sentKey });
}

Scalar.createApiReference("#reference", { ...configuration, onBeforeRequest, onResponseReceived });
