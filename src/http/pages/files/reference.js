// Starts the reference. As the scripts of the Postman collection do, it gives each verification a key of its own, and
// puts values of the reader's own where the examples of other operations only show the form of one.
const { configuration, keyed, examples } = Object.fromEntries(
  Object.entries(document.currentScript.dataset).map(([name, value]) => [name, JSON.parse(value)]),
);
/**
 * What the last verification of this page was answered with, and the last endpoint, by the member whose example it
 * replaces.
 */
const latest = {};
let sentKey;

/** The value to send for an example that the reader left as it is. */
function filledIn(name, given) {
  if (given !== examples[name]) return given;
  // Every request goes to this server: the page's policy lets it connect nowhere else.
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
