import { ConvexCredentials } from "@convex-dev/auth/providers/ConvexCredentials";
import {
  convexAuth,
  createAccount,
  type GenericActionCtxWithAuthConfig,
  retrieveAccount,
} from "@convex-dev/auth/server";
import { ipKey } from "convex-rate-limiter";
import { Scrypt } from "lucia";
import type { DataModel } from "./_generated/dataModel.js";
import { appError } from "./errors.js";
import { rateLimiter } from "./rateLimiter.js";

type Ctx = GenericActionCtxWithAuthConfig<DataModel>;
type Credentials = { name: string; password: string };

const PROVIDER = "password";
const NAME = /^[\p{L}\p{N}._-]{2,30}$/u;

/**
 * Signs in by name and password, or creates the account first.
 *
 * Only failures count: each attempt takes a token, and gives it back if the password was right.
 * It takes before it looks, so that guesses at the same time cannot pass together. This runs in an
 * action, where what was taken stays taken when it throws. A mutation would have to return.
 */
const password = ConvexCredentials<DataModel>({
  id: PROVIDER,
  crypto: {
    hashSecret: (secret) => new Scrypt().hash(secret),
    verifySecret: (secret, hash) => new Scrypt().verify(hash, secret),
  },
  authorize: async (params, ctx) => {
    const credentials = requireCredentials(params);
    const { key } = accountOf(credentials);
    await rateLimiter.limit(ctx, "failedLogins", { key, throws: true });
    const enter = params.flow === "signUp" ? signUp : logIn;
    const { user } = await enter(ctx, credentials);
    await rateLimiter.credit(ctx, "failedLogins", { key });
    return { userId: user._id };
  },
});

export const { auth, signIn, signOut, store, isAuthenticated } = convexAuth({
  providers: [password],
});

/** Also a way to guess: Convex Auth signs in whoever signs up again with the right password. */
async function signUp(ctx: Ctx, credentials: Credentials) {
  const { ip } = await ctx.meta.getRequestMetadata();
  const from = ip === null ? "no address" : ipKey(ip);
  await rateLimiter.limitAll(
    ctx,
    [{ name: "signUp" }, { name: "signUpFrom", key: from }],
    { throws: true },
  );
  const { account } = accountOf(credentials);
  const profile = { name: credentials.name };
  try {
    return await createAccount(ctx, { provider: PROVIDER, account, profile });
  } catch (error) {
    if (!String(error).includes("already exists")) throw error;
    throw appError({ kind: "NameTaken" });
  }
}

async function logIn(ctx: Ctx, credentials: Credentials) {
  const { account } = accountOf(credentials);
  try {
    return await retrieveAccount(ctx, { provider: PROVIDER, account });
  } catch (error) {
    if (!/InvalidAccountId|InvalidSecret/.test(String(error))) throw error;
    throw appError({ kind: "WrongPassword" });
  }
}

/** One account for all spellings of a name, and one key. */
function accountOf({ name, password: secret }: Credentials) {
  const id = name.toLowerCase();
  return { key: id, account: { id, secret } };
}

function requireCredentials(params: Record<string, unknown>): Credentials {
  const { name, password } = params;
  if (typeof name !== "string" || !NAME.test(name)) {
    throw appError({
      kind: "BadInput",
      message: "A name has 2 to 30 letters, digits, dots, dashes or _.",
    });
  }
  if (
    typeof password !== "string" ||
    password.length < 8 ||
    password.length > 100
  ) {
    throw appError({
      kind: "BadInput",
      message: "A password has 8 to 100 characters.",
    });
  }
  return { name, password };
}
