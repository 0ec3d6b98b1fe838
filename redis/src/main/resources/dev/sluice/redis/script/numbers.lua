-- Integers in doubles: exact up to 2^53 if every division uses an exact remainder.
-- math.fmod is exact; the % operator of Lua 5.1 is not, and neither is a rounded quotient.

local NEVER, ANCIENT = math.huge, -math.huge
local call, pack, spread, unpack = redis.call, struct.pack, unpack, struct.unpack
local fmod, ceil, max, min = math.fmod, math.ceil, math.max, math.min
