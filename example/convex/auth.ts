import { ConvexCredentials } from "@convex-dev/auth/providers/ConvexCredentials";
import {
  convexAuth,
  createAccount,
  type GenericActionCtxWithAuthConfig,
  retrieveAccount,
} from "@convex-dev/auth/server";
import { ipKey } from "convex-rate-limiter";
import { Scrypt } from "lucia";
import { internal } from "./_generated/api.js";
import type { DataModel } from "./_generated/dataModel.js";
import { appError } from "./errors.js";
import { rateLimiter } from "./rateLimiter.js";
import { accountIdOf, PROVIDER } from "./users.js";

type Ctx = GenericActionCtxWithAuthConfig<DataModel>;
type Credentials = { name: string; password: string };

const NAME = /^[\p{L}\p{N}._-]{2,30}$/u;

/** Signs in by name and password, or makes the account first. */
const password = ConvexCredentials<DataModel>({
  id: PROVIDER,
  crypto: {
    hashSecret: (secret) => new Scrypt().hash(secret),
    verifySecret: (secret, hash) => new Scrypt().verify(hash, secret),
  },
  authorize: async (params, ctx) => {
    const enter = params.flow === "signUp" ? signUp : logIn;
    const { user } = await enter(ctx, requireCredentials(params));
    return { userId: user._id };
  },
});

export const { auth, signIn, signOut, store, isAuthenticated } = convexAuth({
  providers: [password],
});

async function signUp(ctx: Ctx, { name, password: secret }: Credentials) {
  const { ip } = await ctx.meta.getRequestMetadata();
  const from = ip === null ? "no address" : ipKey(ip);
  await rateLimiter.limitAll(
    ctx,
    [{ name: "signUp" }, { name: "signUpFrom", key: from }],
    { throws: true },
  );
  const id = accountIdOf(name);
  // Convex Auth would sign in whoever signs up again with the right password: a way to guess
  // that `failedLogins` does not see.
  if (await ctx.runQuery(internal.users.isTaken, { id })) {
    throw appError({ kind: "NameTaken" });
  }
  const account = { id, secret };
  const profile = { name };
  return createAccount(ctx, { provider: PROVIDER, account, profile });
}

/**
 * Only failures count: each attempt takes a token, and gives it back if the password was right.
 * It takes before it looks, so that guesses at the same time cannot pass together. This runs in an
 * action, where what was taken stays taken when it throws. A mutation would have to return.
 */
async function logIn(ctx: Ctx, { name, password: secret }: Credentials) {
  const id = accountIdOf(name);
  await rateLimiter.limit(ctx, "failedLogins", { key: id, throws: true });
  const account = { id, secret };
  const entered = await retrieveAccount(ctx, {
    provider: PROVIDER,
    account,
  }).catch((error: Error) => {
    if (!/^Invalid(AccountId|Secret)$/.test(error.message)) throw error;
    throw appError({ kind: "WrongPassword" });
  });
  await rateLimiter.credit(ctx, "failedLogins", { key: id });
  return entered;
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
