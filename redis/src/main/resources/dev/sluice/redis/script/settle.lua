-- Refunds, releases or renews the permits of a decision.
--
-- KEYS   one for each limit, all in one slot
-- ARGV   one string of big-endian doubles:
--        verb      0 refund: the request did not run; 1 release: it is done; 2 renew: it is still running
--        cost      the permits that were taken
--        takenAt   when they were taken, as the decision said
--        then for each limit as in decide.lua
-- Reply  1, now, packed as in decide.lua; or 3, now
--
-- Atomic, because Redis runs no other command during a script. @each and the like are explained in decide.lua.

local REFUND, RELEASE, RENEW = 0, 1, 2
--@arguments verb cost takenAt
local admitted, latest, departsAt = true, now, now

--@each
local key_ = KEYS[i_]
--@read
local freshAt_, changed_ = ANCIENT, verb == REFUND
if verb == REFUND then
  --@refund
end
--@settle
if changed_ then
  --@fresh
  --@write
end
--@end

return pack('>Bd', 1, now)
