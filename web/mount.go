package web

import "veracity/account/access"

func (p *Portal) mountPublic(on *routing) {
	on.anyone(get, "/", p.home)
	on.anyone(get, "/pricing", p.pricing)
	on.anyone(get, "/docs", p.docs)
	on.anyone(get, "/docs/{page}", p.docs)
}

func (p *Portal) mountSignIn(on *routing) {
	on.anyone(get, "/signup", p.signUpForm)
	on.anyone(post, "/signup", p.signUp)
	on.anyone(get, "/signup/sent", p.signUpSent)
	on.anyone(post, "/signup/resend", p.resendSignUp)
	on.anyone(get, "/verify", p.verifyForm)
	on.anyone(post, "/verify", p.verify)
	on.anyone(get, "/login", p.loginForm)
	on.anyone(post, "/login", p.login)
	on.anyone(get, "/login/second", p.secondForm)
	on.anyone(post, "/login/code", p.loginCode)
	on.anyone(post, "/login/passkey/begin", p.loginPasskeyBegin)
	on.anyone(post, "/login/passkey", p.loginPasskey)
	on.anyone(post, "/logout", p.logout)
	on.anyone(get, "/forgot", p.forgotForm)
	on.anyone(post, "/forgot", p.forgot)
	on.anyone(get, "/reset", p.resetForm)
	on.anyone(post, "/reset", p.reset)
	on.anyone(get, "/invite", p.inviteForm)
	on.anyone(post, "/invite", p.acceptInvite)
	on.anyone(get, "/email", p.emailForm)
	on.anyone(post, "/email", p.changeEmail)
}

func (p *Portal) mountAccount(on *routing) {
	on.member(get, "/account", access.See, p.overview)
	on.member(get, "/account/keys", access.See, p.keys)
	on.member(post, "/account/keys", access.ManageKeys, p.createKey)
	on.member(get, "/account/keys/{id}/revoke", access.ManageKeys, p.revokeKeyForm)
	on.member(post, "/account/keys/{id}/revoke", access.ManageKeys, p.revokeKey)
	on.member(get, "/account/usage", access.See, p.usage)
	on.member(get, "/account/usage.csv", access.See, p.usageCSV)
	on.member(get, "/account/requests", access.See, p.requests)
	on.member(get, "/account/jobs", access.See, p.jobs)
	on.member(get, "/account/jobs/{id}", access.See, p.job)
	on.member(get, "/account/webhooks", access.See, p.deliveries)
	on.member(get, "/account/webhooks/{id}", access.See, p.delivery)
	on.member(post, "/account/webhooks/{id}/redeliver", access.Redeliver, p.redeliver)
	on.member(get, "/account/playground", access.See, p.playground)
	on.member(post, playPath, access.Spend, p.play)
	on.member(get, "/account/playground/{id}", access.See, p.played)
	on.member(get, "/account/team", access.See, p.team)
	on.member(post, "/account/team/invites", access.ManageTeam, p.invite)
	on.member(post, "/account/team/invites/{id}/resend", access.ManageTeam, p.resendInvite)
	on.member(post, "/account/team/invites/{id}/withdraw", access.ManageTeam, p.withdrawInvite)
	on.member(post, "/account/team/{user}/role", access.ManageTeam, p.setRole)
	on.member(get, "/account/team/{user}/remove", access.See, p.removeMemberForm)
	on.member(post, "/account/team/{user}/remove", access.See, p.removeMember)
	on.member(get, "/account/trail", access.SeeTrail, p.trail)
	on.member(get, "/account/settings", access.See, p.settings)
	on.member(post, "/account/settings", access.EditAccount, p.renameAccount)
	on.member(get, "/account/close", access.Close, p.closeForm)
	on.member(post, "/account/close", access.Close, p.closeAccount)
	on.member(post, "/account/reopen", access.Close, p.reopenAccount)
	p.mountPlan(on)
	on.signedIn(post, "/account/switch", p.switchAccount)
	on.signedIn(get, "/account/security", p.security)
	on.signedIn(post, "/account/security/password", p.changePassword)
	on.signedIn(post, "/account/security/totp", p.beginTOTP)
	on.signedIn(post, "/account/security/totp/confirm", p.confirmTOTP)
	on.signedIn(post, "/account/security/totp/remove", p.removeTOTP)
	on.signedIn(post, "/account/security/recovery", p.newRecoveryCodes)
	on.signedIn(post, "/account/security/passkeys/begin", p.beginPasskey)
	on.signedIn(post, "/account/security/passkeys", p.addPasskey)
	on.signedIn(post, "/account/security/passkeys/remove", p.removePasskey)
	on.signedIn(post, "/account/security/sessions/end", p.endSession)
	on.signedIn(post, "/account/security/sessions/end-others", p.endOtherSessions)
	on.signedIn(get, "/account/profile", p.profile)
	on.signedIn(post, "/account/profile", p.saveProfile)
	on.signedIn(post, "/account/profile/email", p.askEmailChange)
	on.signedIn(get, "/account/none", p.noAccount)
}

// mountPlan declares the pages of payment, where plans are sold.
func (p *Portal) mountPlan(on *routing) {
	if !p.cfg.Billing {
		return
	}
	on.member(get, planPath, access.See, p.plan)
	on.member(post, planPath+"/checkout", access.ManagePlan, p.checkout)
	on.member(post, planPath+"/portal", access.ManagePlan, p.payPortal)
	on.member(get, planPath+"/change", access.ManagePlan, p.changePlanForm)
	on.member(post, planPath+"/change", access.ManagePlan, p.changePlan)
	on.member(get, planPath+"/cancel", access.ManagePlan, p.cancelPlanForm)
	on.member(post, planPath+"/cancel", access.ManagePlan, p.cancelPlan)
	on.member(get, planPath+"/resume", access.ManagePlan, p.resumePlanForm)
	on.member(post, planPath+"/resume", access.ManagePlan, p.resumePlan)
}

func (p *Portal) mountOperator(on *routing) {
	on.operator(get, "/admin", p.adminHome)
	on.operator(get, "/admin/accounts", p.adminAccounts)
	on.operator(get, "/admin/accounts/{account}", p.adminAccount)
	on.operator(post, "/admin/accounts/{account}/limits", p.adminLimits)
	on.operator(post, "/admin/accounts/{account}/plan", p.adminPlan)
	on.operator(post, "/admin/accounts/{account}/suspend", p.adminSuspend)
	on.operator(post, "/admin/accounts/{account}/resume", p.adminResume)
	on.operator(get, "/admin/jobs", p.adminJobs)
	on.operator(get, "/admin/webhooks", p.adminWebhooks)
	on.operator(post, "/admin/webhooks/{id}/redeliver", p.adminRedeliver)
	if p.cfg.Billing {
		on.operator(get, "/admin/billing", p.adminBilling)
		on.operator(get, "/admin/billing/{event}", p.adminEvent)
		on.operator(post, "/admin/billing/{event}/again", p.adminEventAgain)
		on.operator(post, "/admin/accounts/{account}/sync", p.adminSync)
	}
	on.operator(get, "/admin/trail", p.adminTrail)
	on.operator(post, "/admin/switches/{name}", p.adminSwitch)
	p.mountRiver(on)
}
