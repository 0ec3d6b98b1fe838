-- Whole numbers in doubles: exact up to 2^53, as long as every division goes by a remainder that is exact.
-- fmod is; the % of Lua 5.1 is not, and neither is rounding a quotient.

local NEVER, ANCIENT = math.huge, -math.huge
local call, pack, spread, unpack = redis.call, struct.pack, unpack, struct.unpack
local fmod, ceil, max, min = math.fmod, math.ceil, math.max, math.min
