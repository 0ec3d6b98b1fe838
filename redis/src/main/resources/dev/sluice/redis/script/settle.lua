-- Refunds, releases or renews the permits of a decision.
--
-- KEYS   one for each limit, all in one slot
-- ARGV   one string of big-endian doubles:
--        verb      0 refund: the request did not run; 1 release: it is done; 2 renew: it is still running
--        cost      the permits that were taken
--        takenAt   when they were taken, as the decision said
--        then for each limit as in decide.lua
--        unused    how many of the permits are refunded, the last ones of the request
--        then for each limit its mark, as the decision said; -infinity if the limit was not charged
-- Reply  1, now, packed as in decide.lua; or 3, now
--
-- Atomic, because Redis runs no other command during a script. @each and the like are explained in decide.lua.

local REFUND, RELEASE, RENEW = 0, 1, 2
--@arguments verb cost takenAt ... unused mark_
local admitted, latest, departsAt = true, now, now

--@each
local key_ = KEYS[i_]
--@read
local freshAt_, changed_ = ANCIENT, false
if verb == REFUND and mark_ > ANCIENT then
  --@refund
end
--@settle
if changed_ then
  --@fresh
  --@write
end
--@end

return pack('>Bd', 1, now)
