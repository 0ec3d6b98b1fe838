-- Whole numbers in doubles: exact up to 2^53, as long as every division goes by a remainder that is exact.
-- math.fmod is; the % of Lua 5.1 is not, and neither is rounding a quotient.

local NEVER, ANCIENT = math.huge, -math.huge
local call, fmod, max, min = redis.call, math.fmod, math.max, math.min

local function floorDiv(a, b)
  local rest = fmod(a, b)
  if rest < 0 then rest = rest + b end
  return (a - rest) / b
end

local function ceilDiv(a, b)
  local rest = fmod(a, b)
  if rest > 0 then return (a - rest) / b + 1 end
  return (a - rest) / b
end
